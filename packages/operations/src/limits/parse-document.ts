import { type DocumentNode, GraphQLError, Lexer, parse, type Source, type Token, TokenKind } from 'graphql';

/** Some fifty for each of the most selections that a document may have. */
const maxCharacters = 100_000;

/** Nesting of brackets, selection sets and fragments; far beyond hand-written documents, and safe for the call stack. */
export const maxNesting = 300;

/** Names are repeated in what is derived from a document, in metrics and in the log. */
const maxNameLength = 200;

/** Far above what clients need, and low enough to stop the parser early. */
const defaultMaxTokens = 15_000;

/** Parses a document that anybody may have written: within these limits, what walks the syntax tree may be recursive. Returns the error. */
export function parseDocument(source: Source, maxTokens = defaultMaxTokens): DocumentNode | GraphQLError {
  const { length } = source.body;
  if (length > maxCharacters) {
    const [found, most] = [length, maxCharacters].map(count => count.toLocaleString('en-US'));
    const message = `The document has ${found} characters; at most ${most} are allowed.`;
    return errorAt(source, maxCharacters, 'QUERY_TOO_LONG', message);
  }
  const excess = findExcess(source, maxTokens);
  if (excess) return excess;
  try {
    return parse(source, { maxTokens });
  } catch (error) {
    if (error instanceof GraphQLError) return withCode(error, 'GRAPHQL_PARSE_FAILED');
    throw error;
  }
}

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Finds the first token that exceeds a limit; brackets are those of selections, literals and types alike. The parser is recursive, so
 * this comes first.
 */
function findExcess(source: Source, maxTokens: number): GraphQLError | undefined {
  let depth = 0;
  for (const token of tokensOf(source, maxTokens)) {
    if (opening.has(token.kind)) depth++;
    else if (closing.has(token.kind)) depth--;
    if (depth > maxNesting) {
      const message = `The document nests brackets in ${depth} levels and more; at most ${maxNesting} are allowed.`;
      return errorAt(source, token.start, 'QUERY_TOO_DEEP', message);
    }
    const length = token.kind === TokenKind.NAME ? token.end - token.start : 0;
    if (length > maxNameLength) {
      const message = `The document has a name of ${length} characters; at most ${maxNameLength} are allowed.`;
      return errorAt(source, token.start, 'QUERY_TOO_LONG', message);
    }
  }
  return undefined;
}

/** The tokens to the end, the limit or the first error, which the parser reports. */
function* tokensOf(source: Source, maxTokens: number): Generator<Token> {
  const lexer = new Lexer(source);
  try {
    for (let count = 0; count <= maxTokens && lexer.advance().kind !== TokenKind.EOF; count++) {
      // Without the way back, a token is garbage once the next one is read.
      (lexer.token as { prev: Token | null }).prev = null;
      yield lexer.token;
    }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
  }
}

const errorAt = (source: Source, position: number, code: string, message: string) =>
  new GraphQLError(message, { source, positions: [position], extensions: { code } });

/** The message of an error with the place in the document. */
export function withPlace({ message, locations }: GraphQLError): string {
  const [place] = locations ?? [];
  return place ? `${message} (line ${place.line}, column ${place.column})` : message;
}

/** The same error with a code, and another message. */
export function withCode(error: GraphQLError, code: string, message = error.message): GraphQLError {
  const { nodes = null, source = null, positions = null, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { ...extensions, code } });
}
