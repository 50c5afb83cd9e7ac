import { type ArgumentNode, type FieldNode, Kind, type SelectionNode, type ValueNode, visit } from 'graphql';
import { InvalidInput } from '../errors.ts';
import { toSnakePath } from '../input/names.ts';
import type { ErrorPath } from '../input/validation-errors.ts';
import type { Operation } from './contract/contract.ts';
import { unprocessable } from './errors.ts';

/** An error of a field, which keys lead to; the errors of an input with their places in the request. */
export function placed(operation: Operation, field: ErrorPath, error: unknown): unknown {
  if (!(error instanceof InvalidInput)) return error;
  return unprocessable(
    error.errors.map(({ path, message, type }) => ({ loc: placeOf(operation, field, path), msg: message, type })),
  );
}

/**
 * Where a caller finds what a domain's error is about. A domain names the arguments of its own field; the operation's
 * text says which parameter of the request went there.
 */
export function placeOf(operation: Operation, field: ErrorPath, path: ErrorPath): ErrorPath {
  const [name, ...below] = path;
  const node = fieldAt(operation, selectionsOf(operation), field);
  const argument: ArgumentNode | undefined = node?.arguments?.find(({ name: { value } }) => value === name);
  return argument ? placeIn(operation, argument.value, below) : somewhere(operation);
}

/** The best that can be said of an error whose place is not in the operation's text. */
const somewhere = ({ parameters }: Operation): ErrorPath =>
  parameters.some(parameter => parameter.in === 'body') ? ['body'] : ['query'];

function placeIn(operation: Operation, value: ValueNode, path: ErrorPath): ErrorPath {
  if (value.kind === Kind.VARIABLE) return placeOfVariable(operation, value.name.value, path);
  const [key, ...below] = path;
  const field = value.kind === Kind.OBJECT ? value.fields.find(({ name: { value: name } }) => name === key) : undefined;
  if (field) return placeIn(operation, field.value, below);
  const [first] = variablesIn(value);
  return first === undefined ? somewhere(operation) : placeOfVariable(operation, first, []).slice(0, 1);
}

function placeOfVariable(operation: Operation, name: string, path: ErrorPath): ErrorPath {
  const parameter = operation.parameters.find(candidate => candidate.name === name);
  if (!parameter) return somewhere(operation);
  const own = parameter.in === 'header' ? 'if-match' : parameter.name;
  return [parameter.in, own, ...toSnakePath(parameter.type, path)];
}

function variablesIn(value: ValueNode): string[] {
  const names: string[] = [];
  visit(value, { Variable: ({ name }) => void names.push(name.value) });
  return names;
}

function selectionsOf({ document }: Operation): readonly SelectionNode[] {
  const operation = document.definitions.find(node => node.kind === Kind.OPERATION_DEFINITION);
  return operation?.selectionSet.selections ?? [];
}

function fieldAt(operation: Operation, selections: readonly SelectionNode[], path: ErrorPath): FieldNode | undefined {
  const [key, ...below] = path.filter(part => typeof part === 'string');
  for (const selection of selections) {
    const found =
      selection.kind === Kind.FIELD
        ? (selection.alias ?? selection.name).value === key && stepInto(operation, selection, below)
        : selection.kind === Kind.FRAGMENT_SPREAD &&
          fieldAt(operation, fragmentOf(operation, selection.name.value), path);
    if (found) return found;
  }
  return undefined;
}

function stepInto(operation: Operation, field: FieldNode, below: ErrorPath): FieldNode | undefined {
  return below.length === 0 ? field : fieldAt(operation, field.selectionSet?.selections ?? [], below);
}

function fragmentOf({ document }: Operation, name: string): readonly SelectionNode[] {
  const fragment = document.definitions.find(
    node => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
  );
  return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fragment.selectionSet.selections : [];
}
