import type { Command } from 'commander';
import type { ApiKey } from '../auth/entities.ts';
import { collect, parseDate } from './arguments.ts';
import { withDatabase } from './database.ts';
import { examples } from './help.ts';
import { table, terminal } from './terminal.ts';

interface CreateOptions {
  readonly name: string;
  readonly all?: boolean;
  readonly merchant: readonly string[];
  readonly store: readonly string[];
  readonly write?: boolean;
  readonly expires?: Date;
}

export function addKeyCommands(program: Command): void {
  const key = program
    .command('key')
    .description('issue, list, revoke and rotate API keys')
    .addHelpText('after', examples('carte key list'));
  key
    .command('create')
    .description('issue a key and print it, alone on standard output; it is never shown again')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--all', 'give access to every merchant and store')
    .option('--merchant <id>', 'give access to this merchant and all its stores (repeatable)', collect, [])
    .option('--store <id>', 'give access to this store (repeatable)', collect, [])
    .option('--write', 'may replace menu configurations; without it the key only reads')
    .option('--expires <date>', 'ends at this date or date-time', parseDate)
    .addHelpText('after', examples('carte key create --name "till 3" --store lisbon-baixa --write'))
    .action(createKey);
  key
    .command('list')
    .description('show every key, without its secret')
    .addHelpText('after', examples('carte key list'))
    .action(showKeys);
  key
    .command('revoke <id>')
    .description('end a key')
    .addHelpText('after', examples('carte key revoke key_5f2c91d07ab3'))
    .action(async (id: string) => {
      const { revokeKey } = await loadKeys();
      await withDatabase(em => revokeKey(em, id));
      terminal.say(`The key ${id} is revoked.`);
    });
  key
    .command('rotate <id>')
    .description('give a key a new secret and print it; the old one ends')
    .addHelpText('after', examples('carte key rotate key_5f2c91d07ab3'))
    .action(async (id: string) => {
      const { rotateKey } = await loadKeys();
      const { key: secret } = await withDatabase(em => rotateKey(em, id));
      terminal.out(secret);
    });
}

/** With it comes the ORM, which --help can do without. */
const loadKeys = () => import('../auth/keys.ts');

async function createKey(options: CreateOptions): Promise<void> {
  const { issueKey } = await loadKeys();
  const issued = await withDatabase(em =>
    issueKey(em, {
      name: options.name,
      all: options.all ?? false,
      merchantIds: options.merchant,
      storeIds: options.store,
      canWrite: options.write ?? false,
      expiresAt: options.expires,
    }),
  );
  terminal.out(issued.key);
  terminal.say(`This is the key ${issued.id}; keep it safe, it is not shown again.`);
}

async function showKeys(): Promise<void> {
  const { listKeys } = await loadKeys();
  const keys = await withDatabase(listKeys);
  const rows = keys.map(key => {
    const grants = key.grants
      .getItems()
      .map(({ merchant, store }) => (merchant ? `merchant ${merchant}` : `store ${store}`));
    const scope = key.allAccess ? 'all' : grants.join(', ') || 'nothing';
    return [key.id, key.name, key.canWrite ? 'read+write' : 'read', scope, key.createdAt.toISOString(), stateOf(key)];
  });
  terminal.out(table([['ID', 'NAME', 'PERMISSIONS', 'SCOPE', 'CREATED', 'STATE'], ...rows]));
}

function stateOf({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'valid';
  return `${expiresAt <= new Date() ? 'expired' : 'valid until'} ${expiresAt.toISOString()}`;
}
