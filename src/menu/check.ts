import { InvalidInput, type ValidationError } from '../errors.ts';
import type { MenuConfigurationInput } from '../generated/graph.ts';
import type { MenuLimits } from './limits.ts';
import { checkIdentifiers, checkReferences } from './references.ts';
import { checkSize } from './size.ts';
import { checkTexts } from './texts.ts';

/** A configuration with every list present. */
export interface PostedConfiguration {
  readonly menus: NonNullable<MenuConfigurationInput['menus']>;
  readonly categories: NonNullable<MenuConfigurationInput['categories']>;
  readonly items: MenuConfigurationInput['items'];
  readonly modifierGroups: NonNullable<MenuConfigurationInput['modifierGroups']>;
  readonly modifierItems: NonNullable<MenuConfigurationInput['modifierItems']>;
}

/** A part of a configuration of which not all could be read; what could not is undefined. */
type Partly<T> = T extends readonly (infer Item)[]
  ? readonly (Partly<Item> | undefined)[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partly<T[Key]> | undefined }
    : T;

/** The lists of a configuration of which not all could be read. */
export type Readable = { readonly [List in keyof PostedConfiguration]: Partly<PostedConfiguration[List]> | undefined };

/** Enough to mend a menu by; a body that is wrong throughout is not answered with its own size in errors. */
const mostErrors = 1000;

/** Refuses a configuration with every error in it, each at its place below the argument `input`. */
export function checkConfiguration(input: MenuConfigurationInput, limits: MenuLimits): PostedConfiguration {
  const configuration: PostedConfiguration = {
    menus: input.menus ?? [],
    categories: input.categories ?? [],
    items: input.items,
    modifierGroups: input.modifierGroups ?? [],
    modifierItems: input.modifierItems ?? [],
  };
  const errors = faultsOf(configuration, [checkTexts, checkIdentifiers, checkReferences]);
  // The size of a tree can only be told once its references hold.
  if (errors.length === 0) errors.push(...checkSize(configuration, limits));
  if (errors.length > 0) throw new InvalidInput(errors.map(below));
  return configuration;
}

/**
 * The errors of a configuration that has others, because of which a reader could not make all of it: lists that are there
 * but undefined could not be read, and those that are not there are empty.
 */
export function checkPart(read: unknown): ValidationError[] {
  const input = (read ?? { items: undefined }) as Partly<MenuConfigurationInput>;
  const configuration: Readable = {
    menus: 'menus' in input ? (input.menus ?? undefined) : [],
    categories: 'categories' in input ? (input.categories ?? undefined) : [],
    items: input.items,
    modifierGroups: 'modifierGroups' in input ? (input.modifierGroups ?? undefined) : [],
    modifierItems: 'modifierItems' in input ? (input.modifierItems ?? undefined) : [],
  };
  // Its texts were looked at by the reader.
  return faultsOf(configuration, [checkIdentifiers, checkReferences]).map(below);
}

/** By the field whose arguments are checked. */
export const menuChecks = { replaceMenuConfiguration: ({ input }: { readonly input?: unknown }) => checkPart(input) };

type Check = (configuration: Readable) => Iterable<ValidationError>;

function faultsOf(configuration: Readable, checks: readonly Check[]): ValidationError[] {
  const errors: ValidationError[] = [];
  for (const check of checks) {
    for (const error of check(configuration)) {
      errors.push(error);
      if (errors.length === mostErrors) return errors;
    }
  }
  return errors;
}

const below = (error: ValidationError): ValidationError => ({ ...error, path: ['input', ...error.path] });
