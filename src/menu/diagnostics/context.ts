import type { Steps } from '@carte/base/time-slice';
import type { MenuDiagnosticCode } from '../../generated/graph.ts';
import { type Configuration, type ConfigurationRows, linkConfiguration, type NodesByKind } from '../configuration.ts';
import {
  byKind,
  type ConfigurationInput,
  countParents,
  type KindName,
  type ParentCounts,
  withDefaults,
} from '../kinds.ts';

export type EntityPath = readonly [KindName, ...(string | number)[]];

/** A result of a check, without the severity, which follows from the code. */
export interface Finding {
  readonly code: MenuDiagnosticCode;
  readonly path: EntityPath;
  readonly message: string;
}

/** The results of a check, and undefined between the entities that it looks at, where long work may stop. */
export type Findings = Generator<Finding | undefined>;

export interface Problem {
  readonly code: MenuDiagnosticCode;
  /** Path below the entity; its own if absent. */
  readonly at?: readonly (string | number)[];
  /** The predicate of a sentence about the entity, or a whole sentence in `message`. */
  readonly text?: string;
  readonly message?: string;
}

/** Likewise for one entity. */
export type Problems = Generator<Problem | undefined>;

export type EntityCheck<Name extends KindName> = (
  entity: ValidationContext[Name][number],
  context: ValidationContext,
) => Problems;

/** Checks of single entities; their order does not matter, since findings are sorted. */
export type EntityChecks = { readonly [Name in KindName]?: EntityCheck<Name> };

type Lists = { readonly [Name in KindName]: readonly NodesByKind[Name][] };

/** The input of every check: the lists of a configuration, and who refers to their entities. */
export interface ValidationContext extends Lists {
  readonly parents: ParentCounts;
  /** The external ids of items for which modifier items stand. */
  readonly itemsOfModifiers: ReadonlySet<string>;
}

export function* createContext(configuration: Configuration): Steps<ValidationContext> {
  const lists = byKind(({ name }) => [...configuration[name].values()]) as Lists;
  const itemsOfModifiers = new Set(lists.modifierItems.flatMap(({ itemExternalId: id }) => id ?? []));
  return { ...lists, parents: yield* countParents(configuration), itemsOfModifiers };
}

/** Links a configuration that is not stored; its references are valid. */
export function linkInput(input: ConfigurationInput): Steps<Configuration> {
  const rows: unknown = byKind(kind => (input[kind.name] ?? []).map((entity: object) => withDefaults(kind, entity)));
  return linkConfiguration('', 0, rows as ConfigurationRows);
}
