import { InvalidInput } from '@carte/base/errors';
import { runInSlices } from '@carte/base/time-slice';
import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn } from '../database/query.ts';
import type { MenuLimits } from '../limits.ts';
import type { Store } from '../store/entities.ts';
import type { Configuration } from './configuration.ts';
import { findConfigurationAt } from './history/configurations-at.ts';
import { byKind, type ConfigurationInput, isPosted, type PostedConfiguration, tableOf } from './kinds.ts';
import { type ChangeOptions, rewriteMenu } from './replace.ts';
import { validateConfiguration } from './validate.ts';

/**
 * Replaces a store's configuration by that of an earlier revision, in one transaction. Returns the configuration as of this transaction, or null
 * if the store no longer exists. Throws `InvalidInput` if the history does not have the revision, or if it no longer fits the limits.
 */
export async function restoreMenuConfiguration(
  em: EntityManager,
  store: Store,
  { revision, limits, history, ...options }: ChangeOptions & { readonly revision: number },
): Promise<Configuration | null> {
  return rewriteMenu(em, store, { ...options, history, source: 'RESTORE' }, async tx => {
    const past = await findConfigurationAt(queryIn(tx), tx, { storeId: store.id, revision }, history);
    return past && validatePast(tx, past, limits);
  });
}

/** Validates as a replacement does, since limits may have been lowered, and entities changed by hand. */
async function validatePast(em: EntityManager, past: Configuration, limits: MenuLimits): Promise<PostedConfiguration> {
  try {
    return withNotPosted(await runInSlices(validateConfiguration(inputOf(em, past), limits, { isStored: true })), past);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      error.errors.map(({ path, type, message }) => {
        const field = path.slice(1).join('.');
        const reason = field ? `${field}: ${message}` : message;
        return { path: ['revision'], type, message: `revision ${past.revision} can no longer be restored: ${reason}` };
      }),
    );
  }
}

/** Adds what only operators set, for entities that are gone: those that exist keep what they have. */
function withNotPosted(posted: PostedConfiguration, past: Configuration): PostedConfiguration {
  return byKind(({ name, notPosted }) => {
    const properties = Object.keys(notPosted);
    if (properties.length === 0) return posted[name] as never[];
    return posted[name].map(entity => {
      const old: Readonly<Record<string, unknown>> = { ...past[name].get(entity.externalId) };
      return { ...entity, ...Object.fromEntries(properties.map(property => [property, old[property]])) };
    }) as never[];
  });
}

/** Returns the input by which a replacement stores this configuration. */
export function inputOf(em: EntityManager, configuration: Configuration): ConfigurationInput {
  return byKind(kind => {
    const properties = tableOf(em, kind)
      .columns.map(({ property }) => property)
      .filter(property => property !== 'position' && isPosted(kind, property));
    return Array.from(configuration[kind.name].values(), (node: object) => {
      const values: Readonly<Record<string, unknown>> = { ...node };
      const present = ['externalId', ...properties].filter(property => (values[property] ?? null) !== null);
      return Object.fromEntries(present.map(property => [property, values[property]]));
    }) as never[];
  });
}
