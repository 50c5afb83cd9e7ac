import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, test } from 'vitest';
import { loadSchema } from '../../src/graphql/schema.ts';

const schema = loadSchema();
const types = Object.values(schema.getTypeMap()).filter(
  type => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !type.name.startsWith('__'),
);

/** Descriptions of all types, fields, arguments and enum values, by schema coordinate. */
const described = types.flatMap(type => {
  const own = [{ coordinate: type.name, description: type.description }];
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return [...own, ...fields.map(({ name, description }) => ({ coordinate: `${type.name}.${name}`, description }))];
  }
  if (isEnumType(type)) {
    const values = type.getValues();
    return [...own, ...values.map(({ name, description }) => ({ coordinate: `${type.name}.${name}`, description }))];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return own;
  const fields = Object.values(type.getFields()).flatMap(field => {
    const coordinate = `${type.name}.${field.name}`;
    const args = field.args.map(({ name, description }) => ({ coordinate: `${coordinate}(${name}:)`, description }));
    return [{ coordinate, description: field.description }, ...args];
  });
  return [...own, ...fields];
});

test('every type, field, argument and enum value of the graph has a description', () => {
  expect(described.length).toBeGreaterThan(150);
  expect(described.filter(({ description }) => !description?.trim()).map(({ coordinate }) => coordinate)).toEqual([]);
});
