import type { ASTNode, DocumentNode, GraphQLError, SourceLocation } from 'graphql';

/** On the nodes themselves: a weak map of some thousand nodes costs more than the parser. */
const location = Symbol('location');

interface Located {
  readonly [location]?: SourceLocation;
}

/**
 * Takes the locations of a parsed document out of its nodes. graphql-js would count the lines of the whole text again for each node of each error;
 * `locate` looks the location up instead. The tokens of the text, which locations refer to, can be collected.
 */
export function detachLocations(document: DocumentNode): DocumentNode {
  const pending: unknown[] = [document];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) for (const element of value) pending.push(element);
    else if (isNode(value)) {
      if (value.loc) {
        const { line, column } = value.loc.startToken;
        Object.assign(value, { loc: undefined, [location]: { line, column } });
      }
      for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) pending.push(child);
    }
  }
  return document;
}

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'kind' in value;

/** Gives an error the locations of its nodes. */
export function locate(error: GraphQLError): GraphQLError {
  return error.locations ? error : Object.assign(error, { locations: locationsOf(error.nodes) });
}

/** Undefined where none is known, as for an error without nodes. */
export function locationsOf(nodes: readonly ASTNode[] | undefined): readonly SourceLocation[] | undefined {
  const found = nodes?.map(node => (node as Located)[location]).filter(location => location !== undefined);
  return found && found.length > 0 ? found : undefined;
}
