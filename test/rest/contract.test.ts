import { rootFieldOf, routeTable } from '@carte/operations/contract/contract';
import { documentedNameOf } from '@carte/operations/contract/inputs';
import { readSets } from '@carte/operations/contract/sets';
import {
  type GraphQLType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  printSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../src/rest/contract.ts';
import { readBuiltInSets } from '../../src/rest/sets.ts';
import { buildGraph } from '../support/graph.ts';
import { documentedEnums, routes, types } from '../support/interface.ts';

const graph = buildGraph();
const contract = loadContract(graph);

const words: Readonly<Record<string, string>> = {
  ID: 'string',
  String: 'string',
  Boolean: 'boolean',
  Int: 'integer',
  SafeInt: 'integer',
  Float: 'double',
  DateTime: 'datetime',
  StringMap: 'map-of-string',
  StringMaps: 'map-of-map-of-string',
  JSONObject: 'map',
};

/** A derived type in the notation of the documented interface. */
function wordOf(type: GraphQLType): string {
  const bare = getNullableType(type);
  if (isListType(bare)) return `list-of-${wordOf(bare.ofType)}`;
  if (isInputObjectType(bare)) return documentedNameOf(bare);
  return words[String(bare)] ?? String(bare);
}

const derived = new Map(
  Object.values(contract.schema.getTypeMap()).flatMap(type => {
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      return [
        [
          `input ${documentedNameOf(type)}`,
          fields.map(field => ({ name: field.name, type: wordOf(field.type), required: isRequiredInputField(field) })),
        ] as const,
      ];
    }
    if (!isObjectType(type)) return [];
    const fields = Object.values(type.getFields());
    return [
      [
        type.name,
        fields.map(field => ({ name: field.name, type: wordOf(field.type), required: isNonNullType(field.type) })),
      ] as const,
    ];
  }),
);

describe('the documented types', () => {
  const requests = [...types.keys()].filter(name => name.endsWith('Request') && name !== 'TimePeriodsRequest');
  const inputs = [...requests, 'ModifierItem'].filter(name => name !== 'CreateMenuConfigurationRequest');
  const both = ['MultilingualText', 'Availability', 'TimePeriodsRequest'];
  const outputs = [...types.keys()].filter(name => !requests.includes(name) && name !== 'ModifierItem');

  test.each([...inputs, ...both])('%s is an input type as documented', name => {
    expect(derived.get(`input ${name}`)).toEqual(types.get(name));
  });

  test.each(outputs)('%s is an output type as documented', name => {
    expect(derived.get(name)).toEqual(types.get(name));
  });

  test.each(Object.entries(documentedEnums))('%s has the documented values', (name, values) => {
    const type = contract.schema.getType(name);
    expect(isEnumType(type) && type.getValues().map(value => value.name)).toEqual(values);
  });

  test('are all types of the derived schema', () => {
    const known = new Set(['Query', 'Mutation', ...outputs, ...[...inputs, ...both].map(name => `input ${name}`)]);
    expect([...derived.keys()].filter(name => !name.startsWith('__') && !known.has(name))).toEqual([]);
  });
});

describe('the documented routes', () => {
  test('are the nine, and no others', () => {
    const documented = routes.map(({ method, path, operation }) => ({ method, path, operation }));
    expect(routeTable([contract])).toHaveLength(9);
    expect(routeTable([contract])).toEqual(expect.arrayContaining(documented));
  });

  test.each(routes)('$method $path has the documented parameters and body', route => {
    const operation = contract.operations.find(({ name }) => name === route.operation);
    if (!operation) throw new Error(`There is no ${route.operation}`);
    const { type } = rootFieldOf(contract, operation);
    const parameters = operation.parameters.filter(parameter => ['path', 'query'].includes(parameter.in));
    expect(parameters.map(parameter => `${parameter.in} ${parameter.name} ${wordOf(parameter.type)}`)).toEqual(
      route.parameters,
    );
    expect(parameters.filter(parameter => parameter.required).map(parameter => parameter.in)).toEqual(
      parameters.filter(parameter => parameter.in === 'path').map(() => 'path'),
    );
    expect(wordOf(type)).toBe(route.body);
  });

  test('POST menu_configuration takes the documented body', () => {
    const operation = contract.operations.find(({ name }) => name === 'createMenuConfiguration');
    if (!operation) throw new Error('There is no createMenuConfiguration');
    const inBody = new Set(operation.parameters.filter(parameter => parameter.in === 'body').map(({ name }) => name));
    const fields = rootFieldOf(contract, operation)
      .args.filter(argument => inBody.has(argument.name))
      .map(argument => ({
        name: argument.name,
        type: wordOf(argument.type),
        required: isRequiredArgument(argument),
      }));
    expect(fields).toEqual(types.get('CreateMenuConfigurationRequest'));
  });
});

// A change of the contract shows in this file; `npx vitest run test/rest/contract.test.ts -u` updates it.
test.each(readSets(graph, readBuiltInSets()))(
  'the derived schema of the set $name is committed',
  async ({ name, schema }) => {
    const folder = name === 'v1' ? 'rest' : name;
    await expect(`${printSchema(schema)}\n`).toMatchFileSnapshot(`../../schema/${folder}/derived.graphql`);
  },
);
