import type { GraphQLField, GraphQLSchema } from 'graphql';
import { type GraphQLObjectType, type GraphQLOutputType, getNamedType, isNonNullType, isObjectType } from 'graphql';
import { isConfigured, isConfiguredBelow } from '../answers/configured.ts';
import { type Fragments, fragmentsOf, operationOf, type SelectedField, selectedFields } from '../answers/fields.ts';
import { compileLoaded, compileResolve, type Form, type Rendering } from '../answers/render.ts';
import type { Operation } from './contract/contract.ts';
import type { FieldExtensions } from './contract/outputs.ts';
import { refusalOf } from './execution.ts';

/** The body of an operation and the values of its tag; null where there is nothing on the way to the body. */
export interface ConfiguredBody {
  readonly bytes: Buffer;
  readonly tagValues: readonly unknown[];
}

export interface ConfiguredOperation {
  /** Whether the body depends on nothing but the arguments and the revision of a store's configuration. */
  readonly kept: boolean;
  readonly run: (rendering: Rendering) => Promise<ConfiguredBody | null>;
}

interface Step {
  readonly type: GraphQLObjectType;
  readonly selected: SelectedField;
  readonly resolve: (object: unknown, rendering: Rendering) => unknown;
}

/**
 * How to write the body of an operation straight from a store's configuration, where everything in it is
 * `@ofConfiguration`; undefined for other operations.
 */
export function compileConfigured(
  graph: GraphQLSchema,
  operation: Operation,
  bodyType: GraphQLOutputType,
): ConfiguredOperation | undefined {
  const fragments = fragmentsOf(operation.document);
  const steps = stepsTo(graph, operation, operation.body, fragments);
  const body = steps.at(-1);
  const derived = getNamedType(bodyType);
  if (!body || !isObjectType(derived) || !isConfiguredBelow(graph, fieldOf(body), body.selected, fragments))
    return undefined;
  const object = getNamedType(fieldOf(body).type);
  if (!isObjectType(object)) return undefined;
  const write = compileLoaded(object, body.selected, fragments, formOf(derived));
  const etags = operation.etags.map(keys => stepsTo(graph, operation, keys, fragments));
  return {
    kept: isConfigured(graph, operation.document, operation.name),
    async run(rendering) {
      const passed: unknown[] = [];
      let value: unknown;
      for (const step of steps) {
        try {
          value = await step.resolve(value, rendering);
        } catch (cause) {
          throw refusalOf(operation, [{ cause, field: operation.body.slice(0, passed.length + 1) }]);
        }
        if (value === null || value === undefined) return null;
        passed.push(value);
      }
      // The body is begun first: what makes the tag is then taken from what the body loads.
      const [bytes, ...tagValues] = await Promise.all([
        write(value, rendering),
        ...etags.map(way => way.at(-1)?.resolve(passed[way.length - 2], rendering)),
      ]);
      return { bytes, tagValues };
    },
  };
}

function fieldOf({ type, selected }: Step): GraphQLField<unknown, unknown> {
  const field = type.getFields()[selected.node.name.value];
  if (!field) throw new Error(`${type.name} has no field ${selected.node.name.value}`);
  return field;
}

/** The fields that keys lead through, from the root. */
function stepsTo(graph: GraphQLSchema, operation: Operation, keys: readonly string[], fragments: Fragments): Step[] {
  const node = operationOf(operation.document, operation.name);
  let type = node && graph.getRootType(node.operation);
  let selections = node?.selectionSet.selections ?? [];
  return keys.map(key => {
    const selected = selectedFields(selections, fragments).find(field => field.key === key);
    if (!type || !selected) throw new Error(`${operation.name} has nothing at ${keys.join('.')}`);
    const field = fieldOf({ type, selected, resolve: () => undefined });
    const step: Step = { type, selected, resolve: compileResolve(field, selected) };
    const below = getNamedType(field.type);
    type = isObjectType(below) ? below : undefined;
    selections = selected.selections;
    return step;
  });
}

/** How the derived type of a body writes what the graph answers: optional fields are left out, defaults put in. */
function formOf(type: GraphQLObjectType): Form {
  return {
    field(key) {
      const field = type.getFields()[key];
      if (!field) return undefined;
      const { default: value }: FieldExtensions = field.extensions;
      const below = getNamedType(field.type);
      return {
        form: {
          optional: !isNonNullType(field.type),
          fallback: value === undefined ? undefined : JSON.stringify(value),
        },
        below: isObjectType(below) ? formOf(below) : undefined,
      };
    },
  };
}
