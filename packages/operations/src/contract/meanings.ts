import { ValidationErrors } from '@carte/base/validation';
import {
  type ArgumentNode,
  astFromValue,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type ObjectFieldNode,
  print,
  type ValueNode,
  valueFromAST,
} from 'graphql';
import { fieldsAlong } from '../execution/selected-fields.ts';
import { camelCase, toSnakeValue } from '../input/names.ts';
import { type BodyOperation, type Contract, type Operation, rootFieldOf } from './contract.ts';
import type { InputExtensions } from './inputs.ts';
import type { FieldExtensions } from './mapped-values.ts';
import type { Parameter } from './parameters.ts';
import type { PathField } from './response.ts';

/** What a value of a request or response is in the graph: as a text, and in a form that is equal where the same is meant. */
export interface Meaning {
  readonly text: string;
  readonly form: string;
}

/** What stands for a variable in a form: itself, the value that it has without a caller's, or nothing. */
type VariableForm = (name: string) => string | ValueNode | undefined;

/** The variables of two versions of an operation, in forms that can be compared: what only one of them takes is not given. */
export function variableForms(old: BodyOperation, next: BodyOperation): readonly [VariableForm, VariableForm] {
  const haveOwnBodies = hasOwnBody(old) && hasOwnBody(next);
  const formsOf = (operation: BodyOperation, other: BodyOperation): VariableForm => {
    const isShared = ({ name }: Parameter) => other.parameters.some(each => each.name === name);
    const { variableDefinitions = [] } = getOperationAST(operation.document, operation.name) ?? {};
    return variable => {
      const fields = operation.parameters.filter(({ mapped }) => mapped?.some(({ path }) => path?.[0] === variable));
      if (fields.length > 0 && haveOwnBodies) {
        const [field] = fields;
        // Callers do not know the name; `mappingOf` says which of their fields goes there.
        return field && !field.required && !fields.some(isShared) ? readPreset(field) : '$';
      }
      const parameter = operation.parameters.find(({ name }) => name === variable);
      if (!parameter || parameter.required || isShared(parameter)) return `$${camelCase(variable)}`;
      return variableDefinitions.find(({ variable: { name } }) => name.value === variable)?.defaultValue;
    };
  };
  return [formsOf(old, next), formsOf(next, old)];
}

const hasOwnBody = (operation: BodyOperation) => operation.parameters.some(({ mapped }) => mapped);

/** The value of the graph that the default of a field of an own body stands for. */
function readPreset({ defaultValue, reader, loc }: Parameter): string | undefined {
  return defaultValue === undefined
    ? undefined
    : JSON.stringify(reader.read(defaultValue, loc, new ValidationErrors()));
}

/** The fields of the graph from the root to the body. */
export function meaningOfBody(operation: BodyOperation, variables: VariableForm): Meaning {
  return join(pathToBody(operation).map(source => meaningOfSource(source, variables)));
}

function pathToBody({ document, name, rootField, bodyPath }: BodyOperation): PathField[] {
  const path: PathField[] = [];
  for (const { node } of fieldsAlong(document, name, bodyPath)) {
    const above = path.at(-1);
    const parent = above && getNamedType(above.field.type);
    const field = above ? isObjectType(parent) && parent.getFields()[node.name.value] : rootField;
    if (!field) throw new Error(`${name} has no field ${node.name.value}`);
    path.push({ node, field });
  }
  return path;
}

const join = (meanings: readonly Meaning[]): Meaning => ({
  text: meanings.map(({ text }) => text).join('.'),
  form: meanings.map(({ form }) => form).join('.'),
});

/** What a field of a body is, apart from its values. */
export function meaningOfField(extensions: FieldExtensions, variables: VariableForm): Meaning {
  const { decimal, constant, source } = extensions;
  if (constant !== undefined) {
    const text = `always ${JSON.stringify(constant)}`;
    return { text, form: text };
  }
  if (!source) return { text: 'an object of other fields', form: '' };
  const { text, form } = meaningOfPlace(source, extensions.only, variables);
  const suffix = decimal ? ` ${describeDirective({ name: 'decimal', arguments: { ...decimal } })}` : '';
  return { text: `"${text}${suffix}"`, form: form + suffix };
}

function meaningOfPlace(source: PathField, only: FieldExtensions['only'], variables: VariableForm): Meaning {
  const own = meaningOfSource(source, variables);
  if (!only) return own;
  const node = source.node.selectionSet?.selections.find(
    selection => selection.kind === Kind.FIELD && selection.name.value === only.field,
  );
  const field = only.type.getFields()[only.field];
  if (node?.kind !== Kind.FIELD || !field) return join([own, { text: only.field, form: only.field }]);
  return join([own, meaningOfSource({ node, field }, variables)]);
}

function meaningOfSource({ node, field }: PathField, variables: VariableForm): Meaning {
  const bare: FieldNode = { kind: Kind.FIELD, name: node.name, arguments: node.arguments ?? [] };
  return {
    text: print(bare)
      .replace(/\s*\n\s*/g, ', ')
      .replace('(, ', '(')
      .replace(/, \)$/, ')'),
    form: `${node.name.value}(${formOfArguments(field.args, node.arguments, variables)})`,
  };
}

/** With defaults, in the order of their names. */
function formOfArguments(
  definitions: readonly (GraphQLArgument | GraphQLInputField)[],
  given: readonly (ArgumentNode | ObjectFieldNode)[] = [],
  variables: VariableForm,
): string {
  const forms = definitions.flatMap(({ name, type, defaultValue }) => {
    const node = given.find(candidate => candidate.name.value === name);
    const preset = defaultValue === undefined ? undefined : astFromValue(defaultValue, type);
    const form = (node && formOfValue(node.value, type, variables)) ?? (preset && formOfValue(preset, type, variables));
    return form === undefined ? [] : [`${name}:${form}`];
  });
  return forms.sort().join();
}

function formOfValue(node: ValueNode, type: GraphQLInputType, variables: VariableForm): string | undefined {
  if (node.kind === Kind.VARIABLE) {
    const value = variables(node.name.value);
    return typeof value === 'object' ? formOfValue(value, type, variables) : value;
  }
  const bare = getNullableType(type);
  if (node.kind === Kind.NULL) return 'null';
  if (isListType(bare)) {
    const elements = node.kind === Kind.LIST ? node.values : [node];
    return `[${elements.map(element => formOfValue(element, bare.ofType, variables))}]`;
  }
  if (isInputObjectType(bare) && node.kind === Kind.OBJECT) {
    return `{${formOfArguments(Object.values(bare.getFields()), node.fields, variables)}}`;
  }
  return JSON.stringify(valueFromAST(node, bare)) ?? print(node);
}

/** Where a variable goes in the graph, and what holds there without it. */
export interface Usage {
  readonly place: string;
  readonly preset: unknown;
}

/** Finds the first place to which each variable of an operation goes. */
export function usagesOf(contract: Contract, operation: BodyOperation): ReadonlyMap<string, Usage> {
  const usages = new Map<string, Usage>();
  const seen = new Set<GraphQLObjectType>();
  const collect = (place: string, value: ValueNode, { type, defaultValue }: GraphQLArgument | GraphQLInputField) => {
    const bare = getNullableType(type);
    if (value.kind === Kind.VARIABLE && !usages.has(value.name.value))
      usages.set(value.name.value, { place, preset: defaultValue });
    if (value.kind !== Kind.OBJECT || !isInputObjectType(bare)) return;
    for (const { name, value: below } of value.fields) {
      const field = bare.getFields()[name.value];
      if (field) collect(`${place}.${name.value}`, below, field);
    }
  };
  const collectFrom = ({ node, field }: PathField) => {
    for (const { name, value } of node.arguments ?? []) {
      const argument = field.args.find(candidate => candidate.name === name.value);
      if (argument) collect(`${node.name.value}.${name.value}`, value, argument);
    }
  };
  const visit = (type: unknown) => {
    if (!isObjectType(type) || seen.has(type)) return;
    seen.add(type);
    for (const field of Object.values(type.getFields())) {
      const { source }: FieldExtensions = field.extensions;
      if (source) collectFrom(source);
      visit(getNamedType(field.type));
    }
  };
  pathToBody(operation).forEach(collectFrom);
  visit(getNamedType(rootFieldOf(contract, operation).type));
  return usages;
}

/** How a field of a request, or a type of a body, is mapped to the graph, apart from its values. */
export function mappingOf(
  /** Of a field, which goes to that of the same name unless it says otherwise. */
  name: string | undefined,
  { directives = [] }: InputExtensions,
  usages?: ReadonlyMap<string, Usage>,
): Meaning {
  const isMapped = directives.some(directive => ['to', 'unused'].includes(directive.name));
  const byName = isMapped || name === undefined ? [] : [{ name: 'to', arguments: { path: name } }];
  const canonical = (path: string) => {
    const [first = '', ...below] = path.split('.');
    return [usages?.get(first)?.place ?? camelCase(first), ...below.map(camelCase)].join('.');
  };
  const forms = [...directives, ...byName].map(directive => {
    const { path, ...others } = directive.arguments;
    const given = Object.entries({ ...others, ...(path !== undefined && { path: canonical(String(path)) }) });
    return `${directive.name} ${JSON.stringify(given.filter(([, value]) => value !== null).sort())}`;
  });
  return { text: directives.map(describeDirective).sort().join(' ') || 'its name', form: forms.sort().join() };
}

function describeDirective({ name, arguments: given }: NonNullable<InputExtensions['directives']>[number]): string {
  const list = Object.entries(given).filter(([, value]) => value !== null);
  const texts = list.map(([argument, value]) => `${argument}: ${JSON.stringify(value)}`);
  return `@${name}${texts.length > 0 ? `(${texts.join(', ')})` : ''}`;
}

/** The value of a parameter that callers leave out; undefined if they cannot. */
export function presetOf(contract: Contract, operation: Operation, name: string): Meaning | undefined {
  const argument = rootFieldOf(contract, operation).args.find(candidate => candidate.name === name);
  if (!argument || (isNonNullType(argument.type) && argument.defaultValue === undefined)) return undefined;
  const variable = operation.parameters.find(parameter => parameter.name === name && !parameter.mapped);
  // In values of the graph, which callers may have others for.
  const value = variable
    ? (toSnakeValue(variable.type, variable.defaultValue) ?? usagesOf(contract, operation).get(name)?.preset)
    : argument.defaultValue;
  const text = value === undefined || value === null ? 'absent' : JSON.stringify(value);
  return { text, form: text };
}
