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

/** Has resolvers get `input` alone, made of the arguments of 0.2 where a caller gives these; paths of errors are then those of 0.2. */
export function readFlatArguments(schema: GraphQLSchema): void {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  for (const name of [...flatMutations, replacement.mutation]) {
    const field = mutations[name];
    const type = getNamedType(field?.args.find(argument => argument.name === 'input')?.type);
    if (!field || !isInputObjectType(type)) throw new Error(`The mutation ${name} has no input`);
    const inputFields = Object.values(type.getFields());
    const { resolve = defaultFieldResolver } = field;
    const resolveInput = (...[root, input, context, info]: Parameters<typeof resolve>) =>
      resolve(root, { input }, context, info);

    field.resolve =
      name === replacement.mutation
        ? (root, { input, ...flat }: { input: Values }, context: Context, info) => {
            const both = Object.keys(flat).filter(key => input[key] !== undefined);
            reject(both.map(key => combined(key, `input.${key}`)));
            const whole: Values = { ...input, ...flat };
            if (whole.storeId == null) reject([missing(['input', 'storeId'], 'ID!')]);
            return resolveInput(root, whole, context, info);
          }
        : async (root, { input, ...flat }: { input?: Values | null } & Values, context: Context, info) => {
            const given = Object.keys(flat);
            if (input) {
              reject(given.map(key => combined(key, 'input')));
              return resolveInput(root, input, context, info);
            }
            if (given.length === 0) reject([missing(['input'], `${type}!`)]);
            const defaults = inputFields.map(({ name: key, defaultValue }) => [key, defaultValue] as const);
            const whole: Values = {
              ...Object.fromEntries(defaults.filter(([, value]) => value !== undefined)),
              ...flat,
            };
            const required = inputFields.filter(inputField => isNonNullType(inputField.type));
            const absent = required.filter(({ name: key }) => whole[key] == null);
            reject(absent.map(inputField => missing([inputField.name], String(inputField.type))));
            try {
              return await resolveInput(root, whole, context, info);
            } catch (error) {
              if (!(error instanceof InvalidInput)) throw error;
              throw new InvalidInput(error.errors.map(each => ({ ...each, path: each.path.slice(1) })));
            }
          };
  }
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
