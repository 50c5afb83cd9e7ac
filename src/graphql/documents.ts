import { hash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';

export interface KnownDocument {
  readonly text: string;
  readonly document: DocumentNode;
  /** Validation errors, found when they are first read. */
  readonly errors: readonly GraphQLError[];
}

export interface DocumentOptions {
  readonly schema: GraphQLSchema;
  readonly maxTokens: number;
  readonly introspection: boolean;
}

/** How much the texts of documents take together, in characters: a syntax tree takes some hundred bytes for each. */
const maxCharacters = 512 * 1024;

/** Parses and validates each document once, however often and by whomever it is used. */
export class Documents {
  readonly #options: DocumentOptions;
  readonly #rules: readonly ValidationRule[];
  readonly #known = new LRUCache<string, KnownDocument>({
    maxSize: maxCharacters,
    sizeCalculation: (_document, text) => text.length + 100,
  });
  readonly #shared = new LRUCache<string, KnownDocument>({
    maxSize: maxCharacters,
    sizeCalculation: ({ text }) => text.length + 100,
  });

  constructor(options: DocumentOptions) {
    this.#options = options;
    const rules = [...specifiedRules, knownOperationTypes];
    this.#rules = options.introspection ? rules : [...rules, noIntrospection];
  }

  /** The document of a text, or why it cannot be parsed. */
  find(text: string): KnownDocument | GraphQLError {
    const known = this.#known.get(text);
    if (known) return known;
    const document = this.#parse(text);
    if (document instanceof GraphQLError) return document;
    let errors: readonly GraphQLError[] | undefined;
    const found: KnownDocument = {
      text,
      document,
      // A getter, since limits are checked first: validation takes longer.
      get errors() {
        errors ??= validateDocument();
        return errors;
      },
    };
    const validateDocument = () => this.#validate(document);
    this.#known.set(text, found);
    return found;
  }

  /** Lets Apollo execute a document that has been validated, without parsing and validating it again. */
  share(known: KnownDocument): void {
    this.#shared.set(hash('sha256', known.text), known);
  }

  /** The `documentStore` of an Apollo server, whose keys end in the hash of the text. */
  readonly store = {
    get: async (key: string) => this.#shared.get(key.slice(-64))?.document,
    set: async () => {},
    delete: async () => {},
  };

  #parse(text: string): DocumentNode | GraphQLError {
    try {
      return parse(text, { maxTokens: this.#options.maxTokens });
    } catch (error) {
      if (error instanceof GraphQLError) return withCode(error, 'GRAPHQL_PARSE_FAILED');
      if (!(error instanceof RangeError)) throw error;
      const message = 'The document nests deeper than can be read.';
      return new GraphQLError(message, { extensions: { code: 'QUERY_TOO_DEEP' } });
    }
  }

  #validate(document: DocumentNode): readonly GraphQLError[] {
    const { schema, introspection } = this.#options;
    return validate(schema, document, this.#rules).map(error =>
      withCode(error, 'GRAPHQL_VALIDATION_FAILED', introspection ? error.message : withoutSuggestion(error.message)),
    );
  }
}

function withCode(error: GraphQLError, code: string, message = error.message): GraphQLError {
  const { nodes = null, source = null, positions = null, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { ...extensions, code } });
}

/** graphql-js suggests names of the schema, which are hidden with it. */
const withoutSuggestion = (message: string) => message.replace(/ ?Did you mean .*\?$/s, '');

/** graphql-js finds out when it executes, and calls it an internal error. */
const knownOperationTypes: ValidationRule = context => ({
  OperationDefinition(node) {
    if (context.getSchema().getRootType(node.operation)) return;
    context.reportError(new GraphQLError(`The schema has no ${node.operation}.`, { nodes: node }));
  },
});

const noIntrospection: ValidationRule = context => ({
  Field(node) {
    const name = node.name.value;
    if (name !== '__schema' && name !== '__type') return;
    const message = `${name} cannot be queried: introspection is off here (CARTE_INTROSPECTION).`;
    context.reportError(
      new GraphQLError(message, { nodes: node, extensions: { validationErrorCode: 'INTROSPECTION_DISABLED' } }),
    );
  },
});
