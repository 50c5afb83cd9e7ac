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

const flatMutations = [
  'changeOrderStatus',
  'markOrders',
  'setStoreOrdering',
  'setStock',
  'changePrices',
  'restoreMenuConfiguration',
  'setSpecialHours',
  'rotateApiKey',
  'revokeApiKey',
  'rotateWebhookSecret',
  'pauseWebhook',
  'resumeWebhook',
  'removeWebhook',
  'testWebhook',
  'redeliverWebhookMessage',
  'redeliverWebhookEvents',
];

/** The mutation that had an input, with these fields of it as arguments beside it. */
const replacement = { mutation: 'replaceMenuConfiguration', input: 'MenuConfigurationInput' };
const besideInput = ['storeId', 'expectedRevision'];

/** Adds the arguments of 0.2 to mutations, each with what its input field says, and nullable as `input` then is. */
export function addFlatArguments(documents: readonly DocumentNode[]): DocumentNode[] {
  const definitions = documents.flatMap(document => document.definitions);
  const inputs = definitions.filter(definition => definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION);
  const fieldsOf = ({ type }: InputValueDefinitionNode) =>
    inputs.find(({ name }) => name.value === namedType(type).name.value)?.fields ?? [];
  const addTo = (field: FieldDefinitionNode): FieldDefinitionNode => {
    const [input] = field.arguments ?? [];
    if (!input) return field;
    if (field.name.value === replacement.mutation) {
      const moved = fieldsOf(input).filter(({ name }) => besideInput.includes(name.value));
      return { ...field, arguments: [input, ...moved.map(deprecate)] };
    }
    if (!flatMutations.includes(field.name.value)) return field;
    const directives = field.directives?.map(sliceByFlatArguments) ?? [];
    return { ...field, directives, arguments: [nullable(input), ...fieldsOf(input).map(deprecate)] };
  };
  return documents.map(document =>
    visit(document, {
      [Kind.FIELD_DEFINITION]: addTo,
      [Kind.INPUT_OBJECT_TYPE_DEFINITION]: ({ name, fields = [], ...type }) =>
        name.value === replacement.input
          ? { ...type, name, fields: fields.map(field => (field.name.value === 'storeId' ? nullable(field) : field)) }
          : undefined,
    }),
  );
}

const namedType = (type: TypeNode): NamedTypeNode => (type.kind === Kind.NAMED_TYPE ? type : namedType(type.type));

function nullable({ type, ...value }: InputValueDefinitionNode): InputValueDefinitionNode {
  return { ...value, type: type.kind === Kind.NON_NULL_TYPE ? type.type : type };
}

const deprecated: ConstDirectiveNode = {
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: 'deprecated' },
  arguments: [
    {
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: 'reason' },
      value: { kind: Kind.STRING, value: 'Use `input`.' },
    },
  ],
};

/** Without its default, which is applied where the input is built, so that it is known what was given. */
function deprecate({ defaultValue: _, ...field }: InputValueDefinitionNode): InputValueDefinitionNode {
  return { ...nullable(field), directives: [...(field.directives ?? []), deprecated] };
}

/** Has `@listSize` count `ids` as it counts `input.ids`. */
function sliceByFlatArguments(directive: ConstDirectiveNode): ConstDirectiveNode {
  return visit(directive, {
    [Kind.LIST]: {
      leave: list => ({
        ...list,
        values: list.values.flatMap(value =>
          value.kind === Kind.STRING && value.value.startsWith('input.')
            ? [value, { ...value, value: value.value.slice('input.'.length) }]
            : [value],
        ),
      }),
    },
  });
}

type Values = Readonly<Record<string, unknown>>;
type Arguments = Values & { readonly input?: Values | null };

/** Has resolvers get `input` alone, made of the arguments of 0.2 where a caller gives these; paths of errors are then those of 0.2. */
export function readFlatArguments(schema: GraphQLSchema): void {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  for (const name of [...flatMutations, replacement.mutation]) {
    const field = mutations[name];
    const type = getNamedType(field?.args.find(argument => argument.name === 'input')?.type);
    if (!field || !isInputObjectType(type)) throw new Error(`The mutation ${name} has no input`);
    const read = name === replacement.mutation ? readBesideInput : createFlatReader(type);
    const { resolve = defaultFieldResolver } = field;
    field.resolve = async (root, args: Arguments, context: Context, info) => {
      const input = read(args);
      try {
        return await resolve(root, { input }, context, info);
      } catch (error) {
        if (args.input || !(error instanceof InvalidInput)) throw error;
        throw new InvalidInput(error.errors.map(each => ({ ...each, path: each.path.slice(1) })));
      }
    };
  }
}

function readBesideInput({ input, ...flat }: Arguments): Values {
  const both = Object.keys(flat).filter(name => input?.[name] !== undefined);
  reject(both.map(name => combined(name, `input.${name}`)));
  const whole: Values = { ...input, ...flat };
  if (whole.storeId == null) reject([missing(['input', 'storeId'], 'ID!')]);
  return whole;
}

function createFlatReader(type: GraphQLInputObjectType): (args: Arguments) => Values {
  const fields = Object.values(type.getFields());
  const required = fields.filter(field => isNonNullType(field.type));
  const withDefault = fields.filter(({ defaultValue }) => defaultValue !== undefined);
  const defaults = Object.fromEntries(withDefault.map(({ name, defaultValue }) => [name, defaultValue]));
  return ({ input, ...flat }) => {
    const given = Object.keys(flat);
    if (input) {
      reject(given.map(name => combined(name, 'input')));
      return input;
    }
    if (given.length === 0) reject([missing(['input'], `${type}!`)]);
    const whole: Values = { ...defaults, ...flat };
    const absent = required.filter(({ name }) => whole[name] == null);
    reject(absent.map(field => missing([field.name], String(field.type))));
    return whole;
  };
}

function reject(errors: readonly ValidationError[]): void {
  if (errors.length > 0) throw new InvalidInput(errors);
}

const combined = (name: string, other: string): ValidationError => {
  return { path: [name], type: 'value_error', message: `cannot be combined with ${other}` };
};

const missing = (path: readonly string[], type: string): ValidationError => {
  return { path, type: 'missing', message: `the argument of the type "${type}" is missing` };
};
