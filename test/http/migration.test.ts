import { setTimeout as sleep } from 'node:timers/promises';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { migrations } from '../../src/database/migrations/list.ts';
import { runImport } from '../../src/import/run.ts';
import { createOrm } from '../../src/orm.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { directConnection } from '../support/database.ts';
import { smallBody } from './body.ts';

const app = await startApp({ cacheBytes: 0 });

/** What later versions may do: each needs tables that every request reads or writes. */
class AlterStore extends Migration {
  override up(): void {
    this.addSql('alter table store add column of_test_1 text');
  }
}
class AlterKeys extends Migration {
  override up(): void {
    this.addSql('alter table api_key add column of_test_2 text');
  }
}
class AlterBoth extends Migration {
  override up(): void {
    this.addSql(`
      lock table api_key, menu_item, store in access exclusive mode;
      alter table api_key add column of_test_3 text;
      alter table menu_item add column of_test_3 text;
      alter table store add column of_test_3 text`);
  }
}
class AddIndex extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists of_test_4');
    this.addSql('create index concurrently of_test_4 on merchant (brand_name)');
  }
}
const later = [
  { name: '9001-store', class: AlterStore },
  { name: '9002-keys', class: AlterKeys },
  { name: '9003-both', class: AlterBoth },
  { name: '9004-index', class: AddIndex },
];

/** The next version, as it starts on the same database. */
function nextVersion(): MikroORM {
  const { host = '', port = 0, user = '', database = '' } = directConnection(app.orm);
  const orm = createOrm({ host, port, user, database }, { poolSize: 2 });
  orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList: [...migrations, ...later] });
  onTestFinished(() => orm.close());
  return orm;
}

/** A strict import of stores that has written some, and does not end before it is told to. */
function startImport() {
  const released = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  async function* stream() {
    const documents = Array.from({ length: 1_000 }, (_, n) => ({ id: `imported-${n}`, name: { translations: {} } }));
    yield Buffer.from(documents.map(document => `${JSON.stringify(document)}\n`).join(''));
    await released.promise;
  }
  const ended = runImport({
    em: operatorFork(app.orm),
    kind: 'stores',
    strict: true,
    stream: stream(),
    onError: () => {},
    onProgress: () => written.resolve(),
  });
  return { written: written.promise, end: () => released.resolve(), ended };
}

/** Some 100 requests a second, each on time whatever became of those before. */
function startRequests(path: string) {
  const sent: Promise<{ readonly status: number; readonly startedAt: number; readonly endedAt: number }>[] = [];
  const send = async (turn: number) => {
    const startedAt = performance.now();
    const { status } = await (turn % 20 === 0 ? app.post(path, smallBody(`${turn}`)) : app.get(path));
    return { status, startedAt, endedAt: performance.now() };
  };
  const timer = setInterval(() => sent.push(send(sent.length)), 10);
  onTestFinished(() => clearInterval(timer));
  return async () => {
    clearInterval(timer);
    return Promise.all(sent);
  };
}

test('migrations beside an open import and 100 requests a second lose no request, and none waits for the import', async () => {
  const store = await app.data.store();
  const path = `/v1/stores/${store.id}/menu_configuration/`;
  await app.post(path, smallBody('first'));
  const running = startImport();
  await running.written;
  const stop = startRequests(path);
  const migrating = migrate(nextVersion());
  await sleep(5_000);
  const importEndsAt = performance.now();
  running.end();
  expect(await running.ended).toMatchObject({ changed: 1_000, invalid: 0 });
  expect(await migrating).toEqual(later.map(({ name }) => name));
  const requests = await stop();
  expect(requests.length).toBeGreaterThan(100);
  expect([...new Set(requests.map(({ status }) => status))]).toEqual([200]);
  const early = requests.filter(({ startedAt }) => startedAt < importEndsAt - 4_000);
  expect(early.filter(({ endedAt }) => endedAt > importEndsAt)).toEqual([]);
});
