import { type Read, ValidationErrors } from '@carte/base/validation';
import {
  type ASTNode,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  valueFromASTUntyped,
} from 'graphql';
import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import {
  type Mapped,
  type MappedConstant,
  type MappedField,
  mapBoth,
  mapDecimal,
  mapList,
  mapObject,
  mapOnly,
} from '../input/mapped.ts';
import { bodyFieldsOf, isOwnType, snakeCase, toSnakePath } from '../input/names.ts';
import { compileRead, type ReaderOptions, valuesReader } from '../input/reader.ts';
import { directiveAt, directivesAt, hasDirective } from './directives.ts';
import { checkValues, isAmount } from './mapped-values.ts';
import type { Report } from './sources.ts';

/** A variable, or a field of an input type of the graph. */
export interface Target {
  readonly type: GraphQLInputType;
  readonly isRequired: boolean;
  readonly bounds?: Pick<ReaderOptions, 'min' | 'max'>;
}

type Targets = ReadonlyMap<string, Target>;

/** Where a value comes from that is put at a path. */
interface Source {
  readonly path: readonly string[];
  /** What callers may leave out so that it is absent: the field, and objects around it. */
  readonly optional: readonly ASTNode[];
  readonly name: string;
  readonly node: ASTNode;
}

interface Shape {
  readonly fields: readonly MappedField[];
  readonly constants: readonly (Source & { readonly value: unknown })[];
  /** Of both. */
  readonly sources: readonly Source[];
}

/** What fields of the graph are that nothing is put into. */
const defaultsOf = (graph: GraphQLInputObjectType) =>
  Object.values(graph.getFields())
    .filter(({ defaultValue }) => defaultValue !== undefined)
    .map(({ name, defaultValue }): MappedConstant => ({ path: [name], value: defaultValue }));

/** What says that a program is needed, where directives do not suffice. */
const needsProgram = 'no directive converts one to the other, so a program is needed in between';

/** Compiles the mapping of an own input type to the variables of an operation; reports what is not mapped, or cannot be. */
export function compileShape(
  schema: GraphQLSchema,
  type: GraphQLInputObjectType,
  targets: Targets,
  { unknownFields, report }: { readonly unknownFields: 'ignore' | 'forbid'; readonly report: Report },
): readonly MappedField[] {
  const forbidsUnknown = unknownFields === 'forbid';
  const known = new Map<string, Mapped>();
  const shapesUnderWay = new Set<GraphQLInputObjectType>();

  /** The fields of a type, each with the one of the graph that it is put into. */
  function shapeOf(own: GraphQLInputObjectType, fieldsOfGraph: Targets, graphName: string): Shape {
    const constants = constantsOf(own, fieldsOfGraph, graphName);
    const sources: Source[] = [...constants];
    shapesUnderWay.add(own);
    const fields = Object.values(own.getFields()).flatMap((field): MappedField[] => {
      const node = field.astNode ?? own.astNode;
      if (!node) return [];
      const isRequired = isRequiredInputField(field);
      const preset = field.defaultValue;
      const mapped = { name: field.name, isRequired, preset };
      if (hasDirective(node, 'unused')) return [{ ...mapped, path: undefined, value: asIs(field.type) }];
      const optional = isRequired || (preset !== undefined && preset !== null) ? [] : [node];
      const places = directivesAt(schema, 'to', node);
      return (places.length > 0 ? places : [undefined]).flatMap((to): MappedField[] => {
        const type = to?.as == null ? field.type : readAs(field.type, to.as, node);
        if (to?.path === '.') {
          const value = getNullableType(type);
          if (!isInputObjectType(value) || !isOwnType(value)) {
            report(`@to(path: ".") needs an object; ${own.name}.${field.name} is ${type}.`, node);
            return [];
          }
          if (shapesUnderWay.has(value)) {
            report(`${value.name} contains itself by @to(path: "."); give it a path.`, node);
            return [];
          }
          const below = shapeOf(value, fieldsOfGraph, graphName);
          sources.push(...below.sources.map(source => ({ ...source, optional: [...optional, ...source.optional] })));
          return [{ ...mapped, path: [], value: mapObject({ ...below, forbidsUnknown: forbidsUnknown && !to.as }) }];
        }
        const path = to?.path.split('.') ?? [nameIn(fieldsOfGraph, field.name)];
        const target = findTarget(fieldsOfGraph, path, { graphName, field, own, node, isGuessed: to === undefined });
        if (!target) return [];
        sources.push({ path, optional, name: field.name, node });
        return [{ ...mapped, path, value: mapValue(type, target, { field, node, isOther: to?.as != null }) }];
      });
    });
    shapesUnderWay.delete(own);
    return { fields, constants, sources };
  }

  /** The type of a field with another one in place of its named type. */
  function readAs(type: GraphQLInputType, name: string, node: ASTNode): GraphQLInputType {
    if (isNonNullType(type)) return new GraphQLNonNull(getNullableType(readAs(type.ofType, name, node)));
    if (isListType(type)) return new GraphQLList(readAs(type.ofType, name, node));
    const other = schema.getType(name);
    if (isInputObjectType(other) && isOwnType(other) && isInputObjectType(type)) return other;
    report(`@to(as: "${name}") needs objects, and the name of an input type of this set.`, node);
    return type;
  }

  function constantsOf(own: GraphQLInputObjectType, fieldsOfGraph: Targets, graphName: string): Shape['constants'] {
    const nodes = own.astNode?.directives?.filter(({ name }) => name.value === 'constant') ?? [];
    return nodes.flatMap(node => {
      const { path, value } = argumentsOf(node);
      const keys = String(path).split('.');
      const target = findTarget(fieldsOfGraph, keys, { graphName, own, node, isGuessed: false });
      if (!target) return [];
      const describe = (problem: string) => `The @constant ${path} of ${own.name} is invalid: ${problem}.`;
      const read = readLiteral(target.type, value, describe, node);
      return [{ path: keys, value: read, optional: [], name: `@constant ${path}`, node }];
    });
  }

  /** The target at a path below fields of the graph; reports why there is none. */
  function findTarget(
    fieldsOfGraph: Targets,
    path: readonly string[],
    at: {
      readonly graphName: string;
      readonly own: GraphQLInputObjectType;
      readonly field?: GraphQLInputField;
      readonly node: ASTNode;
      readonly isGuessed: boolean;
    },
  ): Target | undefined {
    let fields: Targets = fieldsOfGraph;
    let where = at.graphName;
    for (const [index, key] of path.entries()) {
      const target = fields.get(key);
      const subject = at.field ? `${at.own.name}.${at.field.name}` : `The @constant of ${at.own.name}`;
      if (!target) {
        const suggestion = didYouMean(suggestionList(key, [...fields.keys()]).slice(0, 2));
        const remedy = at.isGuessed ? ' Add @to(path: "…") with one of its fields, or @unused.' : ' Correct the path.';
        report(`${subject} goes to "${key}", which ${where} does not have.${suggestion}${remedy}`, at.node);
        return undefined;
      }
      if (index === path.length - 1) return target;
      const type = getNullableType(target.type);
      where = String(type);
      if (isInputObjectType(type)) fields = fieldsOf(type);
      else if (where === 'StringMap' && index === path.length - 2) return textTarget(schema);
      else {
        const reason = isListType(type) ? 'is a list: map a list of objects to it' : 'has no fields';
        report(`${subject} goes to "${path.join('.')}", but "${key}" ${reason}, or write a program.`, at.node);
        return undefined;
      }
    }
    return undefined;
  }

  interface At {
    readonly field: GraphQLInputField;
    readonly node: ASTNode;
    /** Whether objects are read a second time, as another type, which need not know all of their fields. */
    readonly isOther?: boolean;
  }

  function mapValue(own: GraphQLInputType, target: Target, at: At): Mapped {
    if (isNonNullType(own)) return mapValue(own.ofType, target, at);
    const graph = getNullableType(target.type);
    const graphName = String(graph);
    const fail = (message: string) => {
      report(message, at.node);
      return asIs(own);
    };
    if (isListType(own)) {
      if (!isListType(graph))
        return fail(`${at.field.name} is a list and the graph has ${graphName}: ${needsProgram}.`);
      if (!isNonNullType(own.ofType))
        return fail(`The elements of ${at.field.name} may be null; declare [${own.ofType}!].`);
      return mapList(mapValue(own.ofType, { type: graph.ofType, isRequired: true }, at));
    }
    if (isListType(graph))
      return fail(`${at.field.name} is ${own}, and the graph has the list ${graphName}: ${needsProgram}.`);
    const only = directiveAt(schema, 'only', at.node as object)?.field;
    if (isInputObjectType(own) && isOwnType(own)) {
      if (only !== undefined) return mapOnlyField(own, only, target, at);
      if (!isInputObjectType(graph)) {
        return fail(
          `${at.field.name} is an object and the graph has ${graphName}; add @only(field: "…"), or ${needsProgram}.`,
        );
      }
      const key = `${own.name} ${graph.name} ${at.isOther}`;
      const found = known.get(key);
      if (found) return found;
      // Known before its fields are, which may be of its own type.
      const fields: MappedField[] = [];
      const constants = defaultsOf(graph);
      const mapped = mapObject({ fields, constants, forbidsUnknown: forbidsUnknown && !at.isOther });
      known.set(key, mapped);
      const shape = shapeOf(own, fieldsOf(graph), graph.name);
      checkSources(shape.sources, fieldsOf(graph), {
        graphName: graph.name,
        node: own.astNode ?? at.node,
        exists: true,
      });
      fields.push(...shape.fields);
      constants.push(...shape.constants);
      return mapped;
    }
    if (only !== undefined) return fail(`@only needs objects of an input type of the set; ${at.field.name} is ${own}.`);
    if (isInputObjectType(own)) {
      if (own === graph) return asIs(own);
      return fail(
        `${at.field.name} is ${own} and the graph has ${graphName}; define an input type of your own for it.`,
      );
    }
    if (isInputObjectType(graph)) {
      return fail(
        `${at.field.name} is ${own} and the graph has the object ${graphName}; go on with the path to one of its fields.`,
      );
    }
    return { read: readLeaf(own, graph, target, at), locOf: path => path };
  }

  function mapOnlyField(own: GraphQLInputObjectType, name: string, target: Target, at: At): Mapped {
    const field = own.getFields()[name];
    if (!field) {
      report(
        `@only(field: "${name}"): ${own.name} has no such field, only ${Object.keys(own.getFields()).join(', ')}.`,
        at.node,
      );
      return asIs(own);
    }
    if (!isRequiredInputField(field))
      report(`@only(field: "${name}") needs a field that is required; declare it as ${field.type}!.`, at.node);
    const fields = Object.values(own.getFields()).map((each): MappedField => {
      const isOnly = each === field;
      const value = isOnly
        ? mapValue(each.type, target, { field: each, node: each.astNode ?? at.node })
        : asIs(each.type);
      const path = isOnly ? [name] : undefined;
      return { name: each.name, path, isRequired: isRequiredInputField(each), preset: each.defaultValue, value };
    });
    return mapOnly(mapObject({ fields, constants: [], forbidsUnknown }), name);
  }

  function readLeaf(own: GraphQLLeafType, graph: GraphQLLeafType, { bounds = {} }: Target, { field, node }: At): Read {
    const readGraph = readOf(graph, bounds);
    const annotated = node as object;
    const values = directiveAt(schema, 'values', annotated)?.map;
    const decimal = directiveAt(schema, 'decimal', annotated);
    if (values && decimal) report(`${field.name} has either @values or @decimal; remove one of them.`, node);
    if (decimal) {
      const isText = own.name === 'String';
      if (!isText && own.name !== 'Float') report(`@decimal needs a Float or a String; ${field.name} is ${own}.`, node);
      if (!isAmount(graph.name)) report(`@decimal is of an amount, which is an integer; the graph has ${graph}.`, node);
      if (decimal.digits < 0 || decimal.digits > 6) report('The digits of @decimal are 0 to 6.', node);
      return mapDecimal(decimal.digits, isText, readGraph);
    }
    if (values) {
      const kind = checkValues(values, graph, message => report(message, node));
      if (kind && kind.name !== own.name && own.name !== 'ID')
        report(`The values of @values are ${kind}; declare ${field.name} as that.`, node);
      return valuesReader(values);
    }
    if (own === graph) return readGraph;
    const isText = (name: string) => name === 'String' || name === 'ID';
    if (isText(own.name) && isText(graph.name)) return readGraph;
    const isWider = own.name === 'Int' && ['SafeInt', 'Float'].includes(graph.name);
    if (isWider || (own.name === 'String' && (graph.name === 'DateTime' || isEnumType(graph)))) {
      return mapBoth(readOf(own), readGraph);
    }
    const advice =
      isAmount(graph.name) && own.name === 'Float' ? 'add @decimal' : `declare it as ${graph}, or add @values`;
    report(`${field.name} is ${own} and the graph has ${graph}; ${advice}; otherwise ${needsProgram}.`, node);
    return readGraph;
  }

  const readOf = (graph: GraphQLInputType, bounds: ReaderOptions = {}): Read =>
    compileRead(graph, { ...bounds, unknownFields });

  /** A value that callers send as the graph has it, with the names of bodies. */
  function asIs(type: GraphQLInputType): Mapped {
    return { read: readOf(type), locOf: path => toSnakePath(type, path) };
  }

  /** The value of the graph that a literal in a file stands for; reports what is wrong with it. */
  function readLiteral(graph: GraphQLInputType, value: unknown, describe: (problem: string) => string, node: ASTNode) {
    const errors = new ValidationErrors();
    const isObject = isInputObjectType(getNamedType(graph));
    const read = isObject ? undefined : readOf(graph)(value, { keys: [], errors }, 0);
    const [problem] = isObject ? ['it is no scalar'] : errors.list.map(({ msg }) => msg);
    if (problem !== undefined) report(describe(problem), node);
    return read;
  }

  /** Reports values that are put at one place, and fields of the graph that need one and may have none. */
  function checkSources(
    sources: readonly Source[],
    fieldsOfGraph: Targets,
    at: { readonly graphName: string; readonly node: ASTNode; readonly exists: boolean; readonly isBelow?: boolean },
  ): void {
    if (!at.isBelow) {
      for (const [index, source] of sources.entries()) {
        const other = sources.slice(0, index).find(({ path }) => overlap(path, source.path));
        if (other)
          report(
            `${source.name} and ${other.name} both set "${source.path.join('.')}"; remove one of them.`,
            source.node,
          );
      }
    }
    for (const [name, { type, isRequired }] of fieldsOfGraph) {
      const found = sources.filter(({ path }) => path[0] === name);
      const [first] = found;
      // Whenever any other is there that makes the object.
      const isImplied = ({ optional }: Source) =>
        at.exists
          ? optional.length === 0
          : sources.every(other => optional.every(each => other.optional.includes(each)));
      const isSet = found.some(isImplied) || (!at.exists && found.length === sources.length);
      if (isRequired && !first) {
        report(
          `Nothing is mapped to "${name}", which ${at.graphName} requires; add a field with @to(path: "${name}"), or @constant.`,
          at.node,
        );
      } else if (isRequired && first && !isSet) {
        report(
          `"${first.name}" is mapped to "${name}", which ${at.graphName} requires; declare it as required, or give it a default.`,
          first.node,
        );
      }
      const below = found
        .filter(({ path }) => path.length > 1)
        .map(source => ({ ...source, path: source.path.slice(1) }));
      const bare = getNullableType(type);
      if (first && below.length > 0 && isInputObjectType(bare)) {
        const exists = found.some(({ optional }) => optional.length === 0);
        checkSources(below, fieldsOf(bare), { graphName: bare.name, node: first.node, exists, isBelow: true });
      }
    }
  }

  const shape = shapeOf(type, targets, 'the operation');
  checkSources(shape.sources, targets, { graphName: 'the operation', node: type.astNode as ASTNode, exists: true });
  for (const { node } of shape.constants)
    report('The type of a body has no @constant; write the value in the operation.', node);
  for (const [name, { isRequired }] of targets) {
    if (isRequired || shape.sources.some(({ path }) => path[0] === name)) continue;
    report(
      `Nothing is mapped to $${name}; add a field with @to(path: "${name}"), or remove the variable.`,
      type.astNode as ASTNode,
    );
  }
  return shape.fields;
}

const textTarget = (schema: GraphQLSchema): Target => ({
  type: schema.getType('String') as GraphQLLeafType,
  isRequired: false,
});

const overlap = (one: readonly string[], other: readonly string[]) =>
  one.slice(0, other.length).every((key, index) => key === other[index]);

/** The name of a field of the graph, which may be written as in bodies. */
function nameIn(targets: Targets, name: string): string {
  return [...targets.keys()].find(key => key === name || snakeCase(key) === name) ?? name;
}

function fieldsOf(type: GraphQLInputObjectType): Targets {
  return new Map(
    bodyFieldsOf(type).map(field => [field.name, { type: field.type, isRequired: isRequiredInputField(field) }]),
  );
}

type Arguments = {
  readonly arguments?: readonly {
    readonly name: { readonly value: string };
    readonly value: Parameters<typeof valueFromASTUntyped>[0];
  }[];
};

const argumentsOf = ({ arguments: nodes = [] }: Arguments): Readonly<Record<string, unknown>> =>
  Object.fromEntries(nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]));
