/*
 * The names that fields had in 0.2, which the graph has beside the new ones. They are deprecated; at 1.0 this file is deleted, with its two calls in
 * schema.ts.
 */
import { InvalidInput } from '@carte/base/errors';
import { isObject } from '@carte/base/json';
import { fail, type Read, readElements, readInSlices, ValidationErrors } from '@carte/base/validation';
import { bodyFieldsOf } from '@carte/operations/input/names';
import { makeDeprecatedDirective } from '@graphql-tools/utils';
import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DocumentNode,
  defaultFieldResolver,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  type StringValueNode,
} from 'graphql';
import type { Context } from './context.ts';
import { mapDefinitions } from './inherit-directives.ts';

/** The new names of fields of types and inputs, by the old ones. */
const renamedFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MenuChanges: { count: 'totalCount' },
  MenuHistoryConnection: { count: 'totalCount' },
  MenuItem: { modifierExternalIds: 'modifierGroupExternalIds' },
  MenuItemInput: { modifierExternalIds: 'modifierGroupExternalIds' },
  MerchantConnection: { count: 'totalCount' },
  ModifierItem: { groups: 'modifierGroups', menuItem: 'item', menuItemExternalId: 'itemExternalId' },
  ModifierItemInput: { menuItemExternalId: 'itemExternalId' },
  OrderConnection: { count: 'totalCount' },
  OrderLineModifier: { groupExternalId: 'modifierGroupExternalId' },
  OrderModifierInput: { groupExternalId: 'modifierGroupExternalId' },
  PhoneNumber: { createDateTime: 'createdAt' },
  PhoneNumberInput: { createDateTime: 'createdAt' },
  Store: { storePhone: 'phone' },
  StoreConnection: { count: 'totalCount' },
  StoreInput: { storePhone: 'phone' },
};

const renamedIn = (typeName: string) => Object.entries(renamedFields[typeName] ?? {});

/** Adds the old names of fields, with all that the definitions of the new ones say. Of a required input field, either name may be given. */
export function addOldNames(document: DocumentNode): DocumentNode {
  const addToType = (block: ObjectTypeDefinitionNode | ObjectTypeExtensionNode) => ({
    ...block,
    fields: (block.fields ?? []).flatMap(field => [field, ...oldFieldsOf(block.name.value, field)]),
  });
  const addToInput = (block: InputObjectTypeDefinitionNode) => ({
    ...block,
    fields: (block.fields ?? []).flatMap(field => {
      const old = oldFieldsOf(block.name.value, field);
      if (old.length === 0 || field.type.kind !== Kind.NON_NULL_TYPE) return [field, ...old];
      const description = describeRequired(field, 'a deprecated name');
      return [{ ...toOptional(field), description }, ...old.map(toOptional)];
    }),
  });
  return mapDefinitions(document, definition => {
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) return addToInput(definition);
    const hasFields = definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;
    return hasFields ? addToType(definition) : definition;
  });
}

function oldFieldsOf<Field extends FieldDefinitionNode | InputValueDefinitionNode>(typeName: string, field: Field) {
  const { value: name } = field.name;
  const [oldName] = renamedIn(typeName).find(([, newName]) => newName === name) ?? [];
  if (oldName === undefined) return [];
  const copied = field.directives?.filter(directive => directive.name.value !== 'nameInBodies') ?? [];
  return [{ ...field, name: { kind: Kind.NAME, value: oldName } as const, directives: [...copied, replacedBy(name)] }];
}

/** The directive of what is deprecated since something else is used. */
export const replacedBy = (name: string) => makeDeprecatedDirective(`Use \`${name}\`.`) as ConstDirectiveNode;

/** The description of what is nullable only because something deprecated may be given instead; bodies do not inherit the sentence. */
export function describeRequired({ description }: InputValueDefinitionNode, other: string): StringValueNode {
  const sentence = `Required; nullable until 1.0, since ${other} may be given instead.`;
  return { kind: Kind.STRING, value: description ? `${description.value} ${sentence}` : sentence };
}

const isRequired: ConstArgumentNode = {
  kind: Kind.ARGUMENT,
  name: { kind: Kind.NAME, value: 'isRequired' },
  value: { kind: Kind.BOOLEAN, value: true },
};

/** Bodies, which have one name of it, still require it. */
function toOptional(field: InputValueDefinitionNode): InputValueDefinitionNode {
  if (field.type.kind !== Kind.NON_NULL_TYPE) return field;
  const directives = (field.directives ?? []).map(directive =>
    directive.name.value === 'nameInBodies'
      ? { ...directive, arguments: [...(directive.arguments ?? []), isRequired] }
      : directive,
  );
  return { ...field, type: field.type.type, directives };
}

/** Has fields resolve by their old names as by the new ones, and resolvers get input by the new names alone. */
export function resolveOldNames(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    const fields = type.getFields();
    for (const [oldName, name] of renamedIn(type.name)) {
      const [old, field] = [fields[oldName], fields[name]];
      if (!old || !field) throw new Error(`${type.name} has no field ${name}`);
      old.resolve = field.resolve ?? (parent => (parent as Readonly<Record<string, unknown>>)[name]);
    }
    for (const field of Object.values(fields)) moveInput(field);
  }
}

function moveInput(field: GraphQLField<unknown, Context>): void {
  const moves = findMoves(field.args);
  if (moves.length === 0) return;
  const { resolve = defaultFieldResolver } = field;
  field.resolve = async (root, args: Readonly<Record<string, unknown>>, context, info) => {
    // Bodies have the new names alone, and are read already.
    if (context.transport === 'REST') return resolve(root, args, context, info);
    const errors = new ValidationErrors();
    const moved = { ...args };
    for (const { name, move } of moves) moved[name] = await readInSlices(move, args[name], [name], errors);
    if (errors.list.length === 0) return resolve(root, moved, context, info);
    throw new InvalidInput(errors.list.map(({ loc, type, msg }) => ({ path: loc, type, message: msg })));
  };
}

/** Compiles a type to the function that copies its values with the new names; undefined if nothing in it has another one. */
function compileMove(type: GraphQLInputType): Read | undefined {
  const bare = getNullableType(type);
  if (isInputObjectType(bare)) return compileObject(bare);
  const move = isListType(bare) ? compileMove(bare.ofType) : undefined;
  return move && ((value, cursor, depth) => (Array.isArray(value) ? readElements(value, cursor, depth, move) : value));
}

function compileObject(type: GraphQLInputObjectType): Read | undefined {
  const renamed = renamedIn(type.name).map(([oldName, name]) => {
    const field = bodyFieldsOf(type).find(candidate => candidate.name === name);
    if (!field) throw new Error(`${type.name} has no field ${name}`);
    return { oldName, name, requiredType: isNonNullType(field.type) ? field.type : undefined };
  });
  const nested = findMoves(Object.values(type.getFields()));
  if (renamed.length + nested.length === 0) return undefined;
  return (value, cursor, depth) => {
    if (!isObject(value)) return value;
    const moved: Record<string, unknown> = { ...value };
    for (const { oldName, name, requiredType } of renamed) {
      if (value[oldName] !== undefined) {
        cursor.keys[depth] = oldName;
        if (value[name] !== undefined) fail(cursor, depth + 1, 'value_error', `cannot be combined with ${name}`);
        moved[name] = value[oldName];
        delete moved[oldName];
      }
      if (!requiredType || (moved[name] ?? null) !== null) continue;
      cursor.keys[depth] = name;
      fail(cursor, depth + 1, 'missing', `Field "${name}" of required type "${requiredType}" was not provided.`);
    }
    for (const { name, move } of nested) {
      cursor.keys[depth] = name;
      if (name in moved) moved[name] = move(moved[name], cursor, depth + 1);
    }
    return moved;
  };
}

/** The arguments or input fields that have something to move. */
const findMoves = (inputs: readonly { readonly name: string; readonly type: GraphQLInputType }[]) =>
  inputs.flatMap(({ name, type }) => {
    const move = compileMove(type);
    return move ? [{ name, move }] : [];
  });
