import {
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { both, type Measure, nothing, ofField } from './measure.ts';
import type { Field, FieldSizes } from './sizes.ts';
import type { Values } from './values.ts';

export interface Terrain {
  readonly schema: GraphQLSchema;
  readonly sizes: FieldSizes;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly values: Values;
}

/** Selections and fragments within each other; far beyond what is written by hand, and safe for the stack. */
const mostNesting = 300;

/**
 * Measures a selection in time that is linear in the text: each fragment is measured once, however often it is spread.
 * The document need not be valid; what makes no sense asks for nothing. Undefined where it nests without end.
 */
export function measureSelection(
  { schema, sizes, fragments, values }: Terrain,
  root: SelectionSetNode,
  rootType: GraphQLNamedType | undefined,
): Measure | undefined {
  const measured = new Map<string, Measure>();
  let nesting = 0;
  let endless = false;

  function measureSet({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): Measure {
    if (nesting >= mostNesting) endless = true;
    if (endless) return nothing;
    nesting++;
    let measure = nothing;
    for (const selection of selections) {
      if (!values.leavesOut(selection.directives)) measure = both(measure, measureOne(selection, type));
    }
    nesting--;
    return measure;
  }

  function measureOne(selection: SelectionNode, type: GraphQLNamedType | undefined): Measure {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return measureFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value;
      return measureSet(selection.selectionSet, condition === undefined ? type : schema.getType(condition));
    }
    const field = fieldOf(schema, type, selection.name.value);
    const size = field && sizes.get(field);
    const below = selection.selectionSet ? measureSet(selection.selectionSet, size?.type) : nothing;
    return ofField(selection, size, below, values);
  }

  function measureFragment(name: string): Measure {
    const known = measured.get(name);
    const fragment = fragments.get(name);
    if (known || !fragment) return known ?? nothing;
    // While it is measured it counts for nothing: a fragment that spreads itself is refused elsewhere.
    measured.set(name, nothing);
    const measure = measureSet(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value));
    measured.set(name, measure);
    return measure;
  }

  const measure = measureSet(root, rootType);
  return endless ? undefined : measure;
}

function fieldOf(schema: GraphQLSchema, type: GraphQLNamedType | undefined, name: string): Field | undefined {
  if (type === schema.getQueryType() && name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (type === schema.getQueryType() && name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}
