import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql';
import type { Operation } from './contract.ts';
import { directiveAt, type RouteDirective } from './directives.ts';

/** The first segments of the paths that Carte serves, or may serve one day. */
const reserved = new Set([
  ...['v1', 'pos', 'graphql', 'mcp', 'schema.graphql', 'docs', 'guides', 'menu', 'console', 'web', 'health', 'metrics'],
  ...['carte', 'favicon.ico'],
]);

/** The path of an operator's route begins with a literal segment that is not reserved. */
export function ReservedPathsRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      const path = directiveAt(context.getSchema(), 'route', node)?.path;
      const first = path?.split('/')[1]?.toLowerCase();
      if (path === undefined || first === undefined) return;
      if (first.startsWith('{')) {
        const message = `"${path}" begins with a parameter; begin with a name of your own, such as "/shop${path}".`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      } else if (reserved.has(first) || first.startsWith('openapi')) {
        const message = `"/${first}" is reserved for Carte; begin with a name of your own, such as "/shop${path}".`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
    },
  };
}

const normalized = (path: string) => path.replace(/\{\w+\}/g, '{}').replace(/\/$/, '');

/** Why two operations cannot both be routes; undefined if they can. */
export function conflictOf(
  { method, path }: RouteDirective,
  other: Pick<Operation, 'name' | 'route'>,
): string | undefined {
  if (normalized(path) !== normalized(other.route.path)) return undefined;
  if (method === other.route.method) return `${method} ${path} is already the route of ${other.name}.`;
  if (path === other.route.path) return undefined;
  return `The path ${path} differs from ${other.route.path} of ${other.name} by a slash or a parameter's name; write it in the same way.`;
}
