import { OperatorError } from '@carte/base/errors';
import type { Command } from 'commander';
import type { ApiKey } from '../auth/entities.ts';
import { isReadPermission, type Permission, permissions, writePermissions } from '../scope.ts';
import { withDatabase } from './database.ts';
import { collect, examples, parseDate, parseList, table, terminal } from './terminal.ts';

interface CreateOptions {
  readonly name: string;
  readonly all?: boolean;
  readonly merchant?: readonly string[];
  readonly store?: readonly string[];
  readonly write?: boolean;
  readonly can?: readonly Permission[];
  readonly publishable?: boolean;
  readonly origin?: readonly string[];
  readonly expires?: Date;
}

/** `read-menus` for READ_MENUS. */
const nameOf = (permission: Permission) => permission.toLowerCase().replaceAll('_', '-');
const names = permissions.map(nameOf).join(', ');

export function addKeyCommands(program: Command): void {
  const key = program
    .command('key')
    .description('issue, list, revoke and rotate API keys')
    .addHelpText('after', examples('carte key list'));
  key
    .command('create')
    .description('issue a key and print it, alone on standard output; it cannot be shown again')
    .requiredOption('--name <name>', 'name of the key, e.g. its purpose')
    .option('--all', 'give access to every merchant and store')
    .option('--merchant <id>', 'give access to this merchant and all its stores (repeatable)', collect)
    .option('--store <id>', 'give access to this store (repeatable)', collect)
    .option('--can <permissions>', `give permissions, separated by commas: ${names}`, parseList(permissions, nameOf))
    .option(
      '--write',
      'allow all writes but admin, beside those of --can; without any read- permission the key reads all',
    )
    .option(
      '--publishable',
      'issue a key that may be in a web page: it reads what guests may see; of --can it takes place-guest-orders alone',
    )
    .option(
      '--origin <origin>',
      'let pages of this origin use a publishable key, e.g. https://menu.example (repeatable)',
      collect,
    )
    .option('--expires <date>', 'date or date-time from which the key is invalid', parseDate)
    .addHelpText('after', examples('carte key create --name "till 3" --store lisbon-baixa --can orders,stock'))
    .action(createKey);
  key
    .command('list')
    .description('list all keys with their last use, without their secrets')
    .addHelpText('after', examples('carte key list'))
    .action(printKeys);
  key
    .command('revoke <id>')
    .description('revoke a key')
    .addHelpText('after', examples('carte key revoke key_5f2c91d07ab3'))
    .action(async (id: string) => {
      const { revokeKey } = await loadKeys();
      if (!(await withDatabase(em => revokeKey(em, id)))) throw notFound(id);
      terminal.err(`The key ${id} is revoked.`);
    });
  key
    .command('rotate <id>')
    .description('replace the secret of a key and print the new one; the old one becomes invalid')
    .addHelpText('after', examples('carte key rotate key_5f2c91d07ab3'))
    .action(async (id: string) => {
      const { rotateKey } = await loadKeys();
      const rotated = await withDatabase(em => rotateKey(em, id));
      if (!rotated) throw notFound(id);
      terminal.out(rotated.key);
    });
}

const notFound = (id: string) => new OperatorError(`There is no key ${id}; \`carte key list\` shows them all.`);

/** Imported lazily: loading the ORM would slow down --help. */
const loadKeys = () => import('../auth/keys.ts');

async function createKey(options: CreateOptions): Promise<void> {
  if (!options.all && !options.merchant && !options.store) {
    throw new OperatorError('A key needs an access scope: --all, --merchant ID or --store ID.');
  }
  const { issueKey } = await loadKeys();
  const issued = await withDatabase(em =>
    issueKey(em, {
      name: options.name,
      all: options.all ?? false,
      merchantIds: options.merchant ?? [],
      storeIds: options.store ?? [],
      permissions: [...(options.write ? writePermissions : []), ...(options.can ?? [])],
      publishable: options.publishable ?? false,
      origins: options.origin ?? [],
      expiresAt: options.expires,
    }),
  );
  terminal.out(issued.key);
  const advice = options.publishable ? 'It may be in a web page; it' : 'Store the key safely: it';
  terminal.err(`The id of the key is ${issued.id}. ${advice} is not shown again.`);
}

async function printKeys(): Promise<void> {
  const { listKeys } = await loadKeys();
  const keys = await withDatabase(em => listKeys(em));
  const rows = keys.map(key => {
    const grants = key.grants
      .getItems()
      .map(({ merchant, store }) => (merchant ? `merchant ${merchant}` : `store ${store}`));
    const scope = key.allAccess ? 'all' : grants.join(', ') || 'nothing';
    return [
      key.id,
      key.name,
      describePermissions(key),
      scope,
      key.createdAt.toISOString(),
      key.lastUsedAt?.toISOString() ?? 'never',
      stateOf(key),
    ];
  });
  terminal.out(table([['ID', 'NAME', 'PERMISSIONS', 'SCOPE', 'CREATED', 'LAST USED', 'STATE'], ...rows]));
}

function describePermissions({ permissions: granted, publishable, origins }: ApiKey): string {
  if (publishable) return [['publishable', ...granted.map(nameOf)].join(','), ...origins].join(' ');
  return [...(granted.some(isReadPermission) ? [] : ['read']), ...granted.map(nameOf)].join(',');
}

function stateOf({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'valid';
  return `${expiresAt <= new Date() ? 'expired' : 'valid until'} ${expiresAt.toISOString()}`;
}
