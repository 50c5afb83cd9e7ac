import type { Contract } from '@carte/operations/contract/contract';
import { openapiDocument } from '@carte/operations/openapi/document';
import type { Json } from '@carte/operations/openapi/schemas';
import examples from '../../schema/rest/examples.json' with { type: 'json' };
import { version } from '../version.ts';

const license = { name: 'MIT', identifier: 'MIT' };
const securitySchemes = { ApiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } };

/** The OpenAPI 3.1 document of a set, with errors that Carte has sent with the demo's data; a test records and compares them. */
export const describeSet = (contract: Contract): Json =>
  openapiDocument(contract, {
    version,
    securitySchemes,
    errorExamples: examples.errors,
    license: contract.isBuiltIn ? license : undefined,
  });
