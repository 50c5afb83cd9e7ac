import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { cpuSeconds } from '../../support/cpu.ts';
import { runAttack } from '../../support/fair-shares/attack.ts';
import { makeData, shortSize } from '../../support/fair-shares/data.ts';
import { startOtherTenant } from '../../support/fair-shares/processes.ts';
import { isFailure, isRefusal } from '../../support/fair-shares/request.ts';
import { rows } from '../../support/fair-shares/rows.ts';
import { run } from '../cli/support.ts';
import { createDatabase } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { startService } from './service.ts';

const orm = await createDatabase();
const env = { DATABASE_URL: urlOf(orm) };
const { child, url } = await startService(orm, {}, kill => afterAll(kill));
const carte = async (...args: readonly string[]) => (await run(args, env)).stdout.trim();
const { target, tenant } = await makeData(
  {
    carte,
    async importDocuments(kind, documents) {
      await run(['import', kind, '-'], env, Array.from(documents, document => JSON.stringify(document)).join('\n'));
    },
  },
  url,
  shortSize,
);
const other = startOtherTenant();
afterAll(() => other.stop());
await other.begin({ ...tenant, url });

/** An attack begins requests for so long. */
const attackSeconds = 0.2;
/** Far above what the service takes on any machine; without its limits some of the rows take several times as much. */
const mostCpuSeconds = 1;
/** So that the other tenant sends requests during each row. */
const leastMs = 120;

/** Statuses that the other tenant got since the last call, one at least. */
async function statusesOfOther(): Promise<readonly number[]> {
  const samples = await other.take();
  return samples.length > 0 ? samples.map(({ status }) => status) : statusesOfOther();
}

describe('while a caller tries to stop the others', () => {
  test.for(rows.filter(({ isShort }) => isShort))('$name: the others are served', async row => {
    await other.take();
    const attack = await row.prepare({ ...target, url });
    const before = cpuSeconds(child.pid);
    const [{ outcomes, requests }] = await Promise.all([runAttack(row, attack, attackSeconds), sleep(leastMs)]);
    const statuses = await statusesOfOther();
    const cpu = (cpuSeconds(child.pid) - before) / requests;

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(Object.keys(outcomes).filter(isFailure)).toEqual([]);
    if (row.goal === 'refused') expect(Object.keys(outcomes).filter(outcome => !isRefusal(outcome))).toEqual([]);
    expect(cpu).toBeLessThan(mostCpuSeconds);
  });
});
