import type { GraphQLField, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { getNamedType, isNonNullType, isObjectType } from 'graphql';
import { type Fragments, fragmentsOf, operationOf, type SelectedField, selectedFields } from '../answers/fields.ts';
import { compileRender, type FieldForm, type Form } from '../answers/render.ts';
import { compileResolve, Rendering, type RenderingOptions } from '../answers/rendering.ts';
import type { Piece } from '../answers/writer.ts';
import type { Operation } from './contract/contract.ts';
import type { FieldExtensions } from './contract/outputs.ts';
import { placed } from './places.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** The body of an operation, and the values that make its tag. */
export interface Written<Body> {
  readonly body: Body;
  readonly tagValues: readonly unknown[];
}

/**
 * Runs an operation; null where there is nothing on the way to its body. Variables must have passed a reader: what is
 * compiled trusts them.
 */
export type Write<Body> = (variables: Variables, context: unknown) => Promise<Written<Body> | null>;

interface Step {
  readonly field: GraphQLField<unknown, unknown>;
  readonly selected: SelectedField;
  readonly resolve: (object: unknown, rendering: Rendering) => unknown;
}

/**
 * Compiles an operation into what writes its body, in the form of its derived type, straight from what the resolvers of the
 * graph answer; `finish` makes the body of its JSON.
 */
export function compileWrite<Body>(
  graph: GraphQLSchema,
  operation: Operation,
  bodyType: GraphQLOutputType,
  finish: (piece: Piece) => Body,
): Write<Body> {
  const fragments = fragmentsOf(operation.document);
  const way = stepsTo(graph, operation, operation.body, fragments);
  const etags = operation.etags.map(keys => stepsTo(graph, operation, keys, fragments));
  const last = way.at(-1);
  if (!last) throw new Error(`${operation.name} has no body`);
  const render = compileRender(last.field.type, last.selected, fragments, formOf(bodyType));
  /** With a rendering of its own: one as old as a long request would keep all its pieces from being collected with it. */
  const write = async (passed: readonly unknown[], asked: RenderingOptions): Promise<Written<Body>> => {
    const rendering = new Rendering(asked);
    // The body is begun first: what makes the tag is then taken from what the body loads.
    const [piece, ...tagValues] = await Promise.all([
      render(passed.at(-1), rendering),
      ...etags.map(async steps => steps.at(-1)?.resolve(passed[steps.length - 2], rendering)),
    ]);
    return { body: finish(piece), tagValues };
  };
  return async (variables, context) => {
    const rendering = new Rendering({ variables, context });
    const passed: unknown[] = [];
    try {
      let value: unknown;
      for (const step of way) {
        value = await step.resolve(value, rendering);
        if (value === null || value === undefined) return null;
        passed.push(value);
      }
      return await write(passed, { variables, context });
    } catch (error) {
      throw placed(operation, operation.body.slice(0, passed.length + 1), error);
    }
  };
}

/** The fields that keys lead through, from the root. */
function stepsTo(graph: GraphQLSchema, operation: Operation, keys: readonly string[], fragments: Fragments): Step[] {
  const node = operationOf(operation.document, operation.name);
  let type = node && graph.getRootType(node.operation);
  let selections = node?.selectionSet.selections ?? [];
  return keys.map(key => {
    const selected = selectedFields(selections, fragments).find(field => field.key === key);
    const field = selected && type?.getFields()[selected.node.name.value];
    if (!field) throw new Error(`${operation.name} has nothing at ${keys.join('.')}`);
    const below = getNamedType(field.type);
    type = isObjectType(below) ? below : undefined;
    selections = selected.selections;
    return { field, selected, resolve: compileResolve(field, selected, fragments) };
  });
}

/** How the derived type of a body writes what the graph answers: optional fields are left out, defaults put in. */
function formOf(type: GraphQLOutputType): Form | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  return new Map(Object.entries(named.getFields()).map(([key, field]) => [key, formOfField(field)]));
}

function formOfField({ type, extensions }: GraphQLField<unknown, unknown>): FieldForm {
  const { default: fallback, constant }: FieldExtensions = extensions;
  return {
    optional: !isNonNullType(type),
    fallback: fallback === undefined ? undefined : JSON.stringify(fallback),
    constant: constant === undefined ? undefined : JSON.stringify(constant),
    below: formOf(type),
  };
}
