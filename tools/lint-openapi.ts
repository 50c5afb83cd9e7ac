/** Lints the OpenAPI document with Redocly's rules; part of `npm run check`. */
import { createConfig, formatProblems, getTotals, lintFromString } from '@redocly/openapi-core';
import { createSchema } from '../src/graphql/schema.ts';
import { loadContract } from '../src/rest/contract/contract.ts';
import { openapiDocument } from '../src/rest/openapi/document.ts';

const source = JSON.stringify(openapiDocument(loadContract(createSchema())), null, 2);
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // The server URL is relative: the document is served by the server that it describes.
    'no-server-example.com': 'off',
    // The interface documents trailing slashes.
    'no-path-trailing-slash': 'off',
  },
});
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
const totals = getTotals(problems);
formatProblems(problems, { format: 'stylish', totals, version: '1' });
if (totals.errors > 0) process.exitCode = 1;
else console.log('The OpenAPI document has no errors.');
