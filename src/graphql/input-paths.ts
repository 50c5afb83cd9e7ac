import type { ValidationError } from '@carte/base/errors';
import type { ErrorPath } from '@carte/base/validation';
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type VariableNode,
  visit,
} from 'graphql';

/** Finds the path of the first use of each of these variables, in the operation or else in a fragment. */
export function findVariablePaths(
  names: Iterable<string>,
  operation: OperationDefinitionNode,
  { definitions }: DocumentNode,
): ReadonlyMap<string, ErrorPath> {
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const document = {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, variableDefinitions: [] }, ...fragments],
  } as const;
  const pending = new Set(names);
  const uses = findInputPaths(document, node => node.kind === Kind.VARIABLE && pending.delete(node.name.value));
  return new Map([...uses].map(([node, path]) => [(node as VariableNode).name.value, path]));
}

/** Finds the paths of nodes within the arguments of a field, e.g. `["input", "lines", 0, "quantity"]`. */
function findInputPaths(root: ASTNode, isWanted: (node: ASTNode) => boolean): Map<ASTNode, ErrorPath> {
  const paths = new Map<ASTNode, ErrorPath>();
  visit(root, {
    enter(node, _key, parent, keys, ancestors) {
      if (!isWanted(node)) return;
      const steps = [...ancestors, parent, node] as readonly (ASTNode | undefined)[];
      const path = steps.flatMap((step, index) => {
        if (step?.kind === Kind.ARGUMENT || step?.kind === Kind.OBJECT_FIELD) return [step.name.value];
        // Between a list and an element is the array of its elements.
        return steps[index - 2]?.kind === Kind.LIST ? [keys[index - 1] ?? 0] : [];
      });
      if (path.length > 0) paths.set(node, path);
    },
  });
  return paths;
}

const missingInput = /^Field "\w+(?:\.|" argument ")(\w+)" of (?:required )?type /;

/** Gives the first error about a literal all of them in its extensions, with their paths, as the first error about a variable has them. */
export function describeLiteralErrors(document: DocumentNode, errors: readonly GraphQLError[]): void {
  const nodes = new Set(errors.map(error => error.nodes?.[0]));
  const paths = findInputPaths(document, node => nodes.has(node));
  const described = errors.flatMap(error => {
    const { message, nodes: [node] = [] } = error;
    const missing = missingInput.exec(message)?.slice(1) ?? [];
    const path = [...((node && paths.get(node)) ?? []), ...missing];
    const isUnknown = node?.kind === Kind.OBJECT_FIELD || node?.kind === Kind.ARGUMENT;
    const type = missing.length > 0 ? 'missing' : isUnknown ? 'extra_forbidden' : 'value_error';
    return path.length > 0 ? [{ error, found: { path, type, message } satisfies ValidationError }] : [];
  });
  const [first] = described;
  if (first) Object.assign(first.error.extensions, { errors: described.map(({ found }) => found) });
}
