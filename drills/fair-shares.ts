/**
 * Tries as one caller to stop the others: starts a service with a database of its own, and attacks it row by row while another tenant
 * reads.
 *   node drills/fair-shares.ts [--rows REGEX] [--seconds 5] [--checkout FOLDER] [--json FILE] [--short]
 * `rows`: only those whose names match. `seconds`: for how long an attack begins new requests. `checkout`: a folder with another version
 * of Carte and its dependencies. `short`: a few rows with a smaller menu. It exits with 1 if a goal is missed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeData, shortSize, wholeSize } from './fair-shares/data.ts';
import { missesOf } from './fair-shares/goals.ts';
import { type Measured, measureRow, wholeTimes } from './fair-shares/measure.ts';
import { startOtherTenant } from './fair-shares/processes.ts';
import { tableOf } from './fair-shares/report.ts';
import { rows } from './fair-shares/rows.ts';
import { type Drilled, startDrilled } from './fair-shares/service.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '' },
    seconds: { type: 'string', default: String(wholeTimes.attackSeconds) },
    checkout: { type: 'string' },
    json: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});

const chosen = rows.filter(
  ({ name, isShort }) => new RegExp(values.rows, 'i').test(name) && (isShort || !values.short),
);
const times = { ...wholeTimes, attackSeconds: Number(values.seconds) };

async function runRows(drilled: Drilled): Promise<readonly Measured[]> {
  const begun = performance.now();
  const data = await makeData(drilled, (await drilled.restart()).url, values.short ? shortSize : wholeSize);
  console.error(`data in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  const other = startOtherTenant();
  const measured: Measured[] = [];
  try {
    for (const row of chosen) {
      const { url, child } = await drilled.restart();
      const field = { pid: child.pid ?? 0, target: { ...data.target, url }, tenant: { ...data.tenant, url }, other };
      const result = await measureRow(row, field, times);
      measured.push(result);
      console.error(tableOf([result]).split('\n').at(-1));
      const log = drilled.takeLog();
      if (log !== '') console.error(log.slice(0, 1_000));
    }
    return measured;
  } finally {
    other.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'carte-fair-shares-'));
try {
  const drilled = await startDrilled(folder, values.checkout === undefined ? undefined : resolve(values.checkout));
  try {
    const measured = await runRows(drilled);
    console.log(tableOf(measured));
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(measured, null, 2));
    const missed = measured.filter(row => missesOf(row).length > 0);
    console.log(`\n${measured.length - missed.length} of ${measured.length} rows hold`);
    process.exitCode = missed.length === 0 ? 0 : 1;
  } finally {
    await drilled.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
