import { isInputObjectType, isInterfaceType, isIntrospectionType, isObjectType, isSpecifiedScalarType } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';

const schema = createSchema();
const types = Object.values(schema.getTypeMap()).filter(
  type => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !type.name.startsWith('__'),
);

/** Everything that a reader of the schema meets, by its place. */
const places = types.flatMap(type => {
  const own = [{ place: type.name, description: type.description }];
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return [...own, ...fields.map(({ name, description }) => ({ place: `${type.name}.${name}`, description }))];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return own;
  const fields = Object.values(type.getFields()).flatMap(field => {
    const place = `${type.name}.${field.name}`;
    const args = field.args.map(({ name, description }) => ({ place: `${place}(${name})`, description }));
    return [{ place, description: field.description }, ...args];
  });
  return [...own, ...fields];
});

test('every type, field and argument of the graph has a description', () => {
  expect(places.length).toBeGreaterThan(150);
  expect(places.filter(({ description }) => !description?.trim()).map(({ place }) => place)).toEqual([]);
});
