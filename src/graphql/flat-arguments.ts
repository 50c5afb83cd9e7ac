/*
 * The arguments of mutations in 0.2, which had the fields of `input` as arguments, or some of them beside it. They are deprecated; at 1.0 this file is
 * deleted, with its two calls in schema.ts.
 */
import { InvalidInput, type ValidationError } from '@carte/base/errors';
import {
  type ConstDirectiveNode,
  type DocumentNode,
  defaultFieldResolver,
  type FieldDefinitionNode,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  type InputValueDefinitionNode,
  isInputObjectType,
  isNonNullType,
  Kind,
  type NamedTypeNode,
  type TypeNode,
  visit,
} from 'graphql';
import type { Context } from './context.ts';
import { mapDefinitions } from './inherit-directives.ts';
import { describeRequired, replacedBy } from './renamed.ts';

/** The input fields of arguments, by the names of these. */
type Fields = Readonly<Record<string, string>>;

const sameNames = (...names: readonly string[]): Fields => Object.fromEntries(names.map(name => [name, name]));

/** The arguments that mutations had in 0.2. Later input fields are not among them. */
const flatArguments: Readonly<Record<string, Fields>> = {
  changeOrderStatus: sameNames('orderId', 'to', 'from', 'reason', 'readyBy', 'idempotent'),
  markOrders: sameNames('storeId', 'orderIds', 'isRead', 'inPos'),
  setStoreOrdering: sameNames('storeId', 'state', 'until', 'delayMinutes', 'reason'),
  setStock: sameNames('storeId', 'items', 'modifierItems'),
  changePrices: sameNames('storeId', 'items', 'modifierItems', 'expectedRevision'),
  restoreMenuConfiguration: sameNames('storeId', 'revision', 'expectedRevision'),
  setSpecialHours: sameNames('storeId', 'hours'),
  rotateApiKey: { id: 'apiKeyId' },
  revokeApiKey: { id: 'apiKeyId' },
  rotateWebhookSecret: { id: 'webhookId' },
  pauseWebhook: { id: 'webhookId' },
  resumeWebhook: { id: 'webhookId' },
  removeWebhook: { id: 'webhookId' },
  testWebhook: { id: 'webhookId' },
  redeliverWebhookMessage: { id: 'webhookId', messageId: 'messageId' },
  redeliverWebhookEvents: { id: 'webhookId', since: 'since' },
};

/** The mutation that had an input, with these fields of it as arguments beside it. */
const replacement = { mutation: 'replaceMenuConfiguration', input: 'MenuConfigurationInput' };
const besideInput = sameNames('storeId', 'expectedRevision');

/** Adds the arguments of 0.2 to mutations, each with what its input field says, and nullable as `input` then is. */
export function addFlatArguments(documents: readonly DocumentNode[]): DocumentNode[] {
  const definitions = documents.flatMap(document => document.definitions);
  const inputs = definitions.filter(definition => definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION);
  const deprecatedOf = ({ type }: InputValueDefinitionNode, fields: Fields) => {
    const { value: inputName } = namedType(type).name;
    const input = inputs.find(({ name }) => name.value === inputName);
    return Object.entries(fields).map(([argument, fieldName]) => {
      const field = input?.fields?.find(({ name }) => name.value === fieldName);
      if (!field) throw new Error(`${inputName} has no field ${fieldName}`);
      return deprecate(field, argument);
    });
  };
  const addTo = (field: FieldDefinitionNode): FieldDefinitionNode => {
    const [input] = field.arguments ?? [];
    if (!input) return field;
    if (field.name.value === replacement.mutation) {
      return { ...field, arguments: [input, ...deprecatedOf(input, besideInput)] };
    }
    const fields = flatArguments[field.name.value];
    if (!fields) return field;
    const directives = field.directives?.map(directive => sliceByFlatArguments(directive, fields)) ?? [];
    return {
      ...field,
      directives,
      arguments: [nullable(input, 'deprecated arguments'), ...deprecatedOf(input, fields)],
    };
  };
  return documents.map(document =>
    mapDefinitions(document, definition => {
      if (definition.kind === Kind.OBJECT_TYPE_EXTENSION && definition.name.value === 'Mutation')
        return { ...definition, fields: (definition.fields ?? []).map(addTo) };
      if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && definition.name.value === replacement.input)
        return { ...definition, fields: (definition.fields ?? []).map(withoutRequiredStore) };
      return definition;
    }),
  );
}

const withoutRequiredStore = (field: InputValueDefinitionNode) =>
  field.name.value === 'storeId' ? nullable(field, 'a deprecated argument') : field;

const namedType = (type: TypeNode): NamedTypeNode => (type.kind === Kind.NAMED_TYPE ? type : namedType(type.type));

const bareType = (type: TypeNode) => (type.kind === Kind.NON_NULL_TYPE ? type.type : type);

function nullable(value: InputValueDefinitionNode, other: string): InputValueDefinitionNode {
  return { ...value, type: bareType(value.type), description: describeRequired(value, other) };
}

/** Without its default, which is applied where the input is built, so that it is known what was given. */
function deprecate({ defaultValue: _, ...field }: InputValueDefinitionNode, name: string): InputValueDefinitionNode {
  return {
    ...field,
    name: { kind: Kind.NAME, value: name },
    type: bareType(field.type),
    directives: [...(field.directives ?? []), replacedBy(`input.${field.name.value}`)],
  };
}

/** Has `@listSize` count `ids` as it counts `input.ids`. */
function sliceByFlatArguments(directive: ConstDirectiveNode, fields: Fields): ConstDirectiveNode {
  const argumentsAt = (path: string) => Object.keys(fields).filter(argument => path === `input.${fields[argument]}`);
  return visit(directive, {
    [Kind.LIST]: {
      leave: list => ({
        ...list,
        values: list.values.flatMap(value => {
          const added = value.kind === Kind.STRING ? argumentsAt(value.value) : [];
          return [value, ...added.map(argument => ({ kind: Kind.STRING, value: argument }) as const)];
        }),
      }),
    },
  });
}

type Values = Readonly<Record<string, unknown>>;
type Arguments = Values & { readonly input?: Values | null };

/** Has resolvers get `input` alone, made of the arguments of 0.2 where a caller gives these; paths of errors are then those of 0.2. */
export function readFlatArguments(schema: GraphQLSchema): void {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  for (const [name, fields] of Object.entries({ ...flatArguments, [replacement.mutation]: besideInput })) {
    const field = mutations[name];
    const type = getNamedType(field?.args.find(argument => argument.name === 'input')?.type);
    if (!field || !isInputObjectType(type)) throw new Error(`The mutation ${name} has no input`);
    const read = name === replacement.mutation ? readBesideInput : createFlatReader(type, fields);
    const { resolve = defaultFieldResolver } = field;
    field.resolve = async (root, args: Arguments, context: Context, info) => {
      const input = read(args);
      try {
        return await resolve(root, { input }, context, info);
      } catch (error) {
        if (args.input || !(error instanceof InvalidInput)) throw error;
        throw new InvalidInput(error.errors.map(each => ({ ...each, path: toFlatPath(each.path, fields) })));
      }
    };
  }
}

/** The path of an input field, which begins with `input`, as that of its argument. */
function toFlatPath([, field, ...below]: ValidationError['path'], fields: Fields): ValidationError['path'] {
  return field === undefined ? [] : [argumentOf(fields, field), ...below];
}

const argumentOf = (fields: Fields, field: string | number) =>
  Object.keys(fields).find(argument => fields[argument] === field) ?? field;

function readBesideInput({ input, ...flat }: Arguments): Values {
  const both = Object.keys(flat).filter(name => input?.[name] !== undefined);
  reject(both.map(name => combined(name, `input.${name}`)));
  const whole: Values = { ...input, ...flat };
  if (whole.storeId == null) reject([missing(['input', 'storeId'], 'ID!')]);
  return whole;
}

function createFlatReader(type: GraphQLInputObjectType, fields: Fields): (args: Arguments) => Values {
  const inputFields = Object.values(type.getFields());
  const required = inputFields.filter(field => isNonNullType(field.type));
  const withDefault = inputFields.filter(({ defaultValue }) => defaultValue !== undefined);
  const defaults = Object.fromEntries(withDefault.map(({ name, defaultValue }) => [name, defaultValue]));
  return ({ input, ...flat }) => {
    const given = Object.keys(flat);
    if (input) {
      reject(given.map(name => combined(name, 'input')));
      return input;
    }
    if (given.length === 0) reject([missing(['input'], `${type}!`)]);
    const named = Object.fromEntries(Object.entries(flat).map(([name, value]) => [fields[name] ?? name, value]));
    const whole: Values = { ...defaults, ...named };
    const absent = required.filter(({ name }) => whole[name] == null);
    reject(absent.map(field => missing([argumentOf(fields, field.name)], String(field.type))));
    return whole;
  };
}

function reject(errors: readonly ValidationError[]): void {
  if (errors.length > 0) throw new InvalidInput(errors);
}

const combined = (name: string, other: string): ValidationError => {
  return { path: [name], type: 'value_error', message: `cannot be combined with ${other}` };
};

const missing = (path: ValidationError['path'], type: string): ValidationError => {
  return { path, type: 'missing', message: `the argument of the type "${type}" is missing` };
};
