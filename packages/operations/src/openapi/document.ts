import { type GraphQLArgument, getNullableType, isListType } from 'graphql';
import { type Contract, type Operation, rootFieldOf } from '../contract/contract.ts';
import { describeDeprecated } from '../contract/deprecation.ts';
import { describeOperation, toSentence, toWords } from '../contract/descriptions.ts';
import { unknownFieldsIn } from '../contract/directives.ts';
import { ifMatchHeader, type Parameter } from '../contract/parameters.ts';
import { generateRoutes, type SofaRoute } from '../sofa.ts';
import { errorSchemas, responsesOf, sharedResponses } from './responses.ts';
import {
  deprecated,
  type Json,
  parameterSchema,
  parametersSchema,
  reference,
  schemaOf,
  typeSchemas,
  withDescription,
} from './schemas.ts';

export interface DocumentOptions {
  /** The version of the service. */
  readonly version: string;
  /** Unless the set has one of its own. */
  readonly license?: { readonly name: string; readonly identifier: string } | undefined;
  /** How callers are known, by name; without it, anyone may call. */
  readonly securitySchemes?: Json | undefined;
  /** Bodies of errors that the service has sent, by status. */
  readonly errorExamples?: Json | undefined;
}

/** The OpenAPI 3.1 document: paths, methods, tags and bodies from SOFA; parameters, bounds and errors from the contract. */
export function openapiDocument(
  contract: Contract,
  { version, license, securitySchemes, errorExamples }: DocumentOptions,
): Json {
  const {
    title = contract.name,
    description = `The operations of the set ${title}.`,
    tags = [],
    contact,
    license: ownLicense,
  } = contract.info ?? {};
  const paths = pathsOf(contract, securitySchemes !== undefined);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      contact: contact ?? operator,
      license: ownLicense ?? license ?? operatorLicense,
    },
    servers: [{ url: '/', description: 'This server' }],
    ...(securitySchemes && { security: Object.keys(securitySchemes).map(name => ({ [name]: [] })) }),
    tags,
    paths,
    ...(contract.messages.length > 0 && { webhooks: webhooksOf(contract) }),
    components: {
      ...(securitySchemes && { securitySchemes }),
      responses: sharedResponses(paths, errorExamples, securitySchemes !== undefined),
      schemas: {
        ...typeSchemas(contract),
        ...requestSchemas(contract),
        ...(contract.operations.length > 0 && errorSchemas),
      },
    },
  };
}

/** No licence of SPDX: none is known. */
const operatorLicense = { name: 'Up to the operator of this service', identifier: 'LicenseRef-Operator' };
const operator = { name: 'The operator of this service' };

function pathsOf(contract: Contract, isSecured: boolean): Json {
  const byPath = Map.groupBy(generateRoutes(contract), ({ operation }) => operation.route.path);
  return Object.fromEntries(
    [...byPath].map(([path, onPath]) => [
      path,
      Object.fromEntries(onPath.map(route => [route.method.toLowerCase(), describeRoute(route, contract, isSecured)])),
    ]),
  );
}

function describeRoute(generated: SofaRoute, contract: Contract, isSecured: boolean): Json {
  const { operation, tags } = generated;
  const { route, name, parameters } = operation;
  const { args } = rootFieldOf(contract, operation);
  const bodyParameters = parameters.filter(parameter => parameter.in === 'body');
  return {
    operationId: name,
    tags,
    summary: route.summary ?? toWords(name),
    description: describeDeprecated(operation.deprecation, describeOperation(operation), '\n\n'),
    ...deprecated(operation),
    parameters: [
      ...parameters.filter(parameter => parameter.in !== 'body').map(each => describeParameter(each, args)),
      ...(route.method === 'GET' ? [ifNoneMatch] : []),
    ],
    ...(bodyParameters.length > 0 && { requestBody: describeBody(operation, bodyParameters) }),
    responses: responsesOf(generated, contract, isSecured),
  };
}

/** The messages, which receivers accept with any status of success. */
function webhooksOf(contract: Contract): Json {
  return Object.fromEntries(
    contract.messages.map(message => {
      const { name, webhook, events } = message;
      const example = contract.examples[name];
      const schema = schemaOf(rootFieldOf(contract, message).type);
      const description =
        webhook.description ?? `${toSentence(webhook.summary ?? toWords(name))} Of the events ${events.join(', ')}.`;
      const post = {
        operationId: name,
        tags: webhook.tags,
        summary: webhook.summary ?? toWords(name),
        description: describeDeprecated(message.deprecation, description, '\n\n'),
        ...deprecated(message),
        // By the signature instead.
        security: [],
        parameters: messageHeaders,
        requestBody: {
          required: true,
          content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
        },
        responses: {
          '2XX': { description: 'The message is accepted, whatever the body.' },
          '4XX': { description: 'The message is sent again later; 410 pauses the webhook.' },
        },
      };
      return [name, { post }];
    }),
  );
}

/** Those of Standard Webhooks. */
const messageHeaders: readonly Json[] = [
  ['webhook-id', 'Identifies the message: the same in every attempt.'],
  ['webhook-timestamp', 'When this attempt was made, in seconds since 1970.'],
  ['webhook-signature', 'Signatures, separated by spaces: each `v1,` and a Base64 text.'],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));

const ifNoneMatch: Json = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of a stored response; while it is current, the response is 304.',
  schema: { type: 'string' },
};

function describeParameter(parameter: Parameter, args: readonly GraphQLArgument[]): Json {
  const { name, in: location, required, type, description, example, header } = parameter;
  if (header === ifMatchHeader) {
    const ofETag = { name: header, in: location, schema: { type: 'string' }, ...deprecated(parameter) };
    return withDescription(ofETag, description);
  }
  const isList = isListType(getNullableType(type));
  return withDescription(
    {
      name: header ?? name,
      in: location,
      required,
      // Comma-separated.
      ...(isList && { style: location === 'header' ? 'simple' : 'form', explode: false }),
      schema: parameterSchema(parameter, args),
      ...(example !== undefined && { example }),
      ...deprecated(parameter),
    },
    description,
  );
}

function describeBody(operation: Operation, parameters: readonly Parameter[]): Json {
  const examples = parameters.filter(parameter => parameter.example !== undefined);
  return {
    required: parameters.some(parameter => parameter.required),
    content: {
      'application/json': {
        schema: reference(requestName(operation)),
        ...(examples.length > 0 && {
          example: Object.fromEntries(examples.map(({ name, example }) => [name, example])),
        }),
      },
    },
  };
}

const requestName = ({ name }: Operation) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`;

/** The request bodies, named after their operations. */
function requestSchemas(contract: Contract): Json {
  const isClosed = unknownFieldsIn(contract.info) === 'forbid';
  return Object.fromEntries(
    contract.operations.flatMap(operation => {
      const parameters = operation.parameters.filter(parameter => parameter.in === 'body');
      const { args } = rootFieldOf(contract, operation);
      return parameters.length > 0 ? [[requestName(operation), parametersSchema(parameters, args, { isClosed })]] : [];
    }),
  );
}
