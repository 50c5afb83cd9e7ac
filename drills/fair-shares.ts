/**
 * Tries as one caller to stop the others: starts a service with a database of its own, and attacks it row by row while another tenant
 * reads.
 *   npx node drills/fair-shares.ts [--rows REGEX] [--seconds N] [--checkout FOLDER] [--json FILE] [--short]
 * `rows`: only those whose names match. `seconds`: for how long an attack begins new requests. `checkout`: a folder with another version
 * of Carte and its dependencies. `short`: a few rows with a smaller menu and one start of the service. It exits with 1 if a goal is missed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeData, shortSize, wholeSize } from '../support/fair-shares/data.ts';
import { startOtherTenant } from '../support/fair-shares/processes.ts';
import type { Row } from '../support/fair-shares/row.ts';
import { rows } from '../support/fair-shares/rows.ts';
import { missesOf, slowMiss } from './fair-shares/goals.ts';
import { type HonestStep, runHonest } from './fair-shares/honest.ts';
import { type Field, type Measured, measureRow, shortTimes, wholeTimes } from './fair-shares/measure.ts';
import { honestTableOf, tableOf } from './fair-shares/report.ts';
import { type Drilled, startDrilled } from './fair-shares/service.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '' },
    seconds: { type: 'string' },
    checkout: { type: 'string' },
    json: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});

const isChosen = (name: string) => new RegExp(values.rows, 'i').test(name);
const chosen = rows.filter(({ name, isShort }) => isChosen(name) && (isShort || !values.short));
const usual = values.short ? shortTimes : wholeTimes;
const times = { ...usual, attackSeconds: Number(values.seconds ?? usual.attackSeconds) };

interface Result {
  readonly rows: readonly Measured[];
  readonly honest: readonly HonestStep[];
}

const attempts = 3;

/** Measures a row again if the other tenant was slow while other programs had the processors. */
async function measureInPeace(row: Row, begin: () => Promise<Field>): Promise<Measured> {
  for (let attempt = 1; ; attempt++) {
    const result = await measureRow(row, await begin(), times);
    const isDisturbed = result.waitedSeconds > result.seconds / 10 && missesOf(result).join() === slowMiss;
    if (!isDisturbed || attempt === attempts) return result;
  }
}

async function run(drilled: Drilled): Promise<Result> {
  const begun = performance.now();
  let server = await drilled.restart();
  const data = await makeData(drilled, server.url, values.short ? shortSize : wholeSize);
  console.error(`data in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  const other = startOtherTenant();
  const begin = async (): Promise<Field> => {
    if (!values.short) server = await drilled.restart();
    const { url, child } = server;
    return { pid: child.pid ?? 0, target: { ...data.target, url }, tenant: { ...data.tenant, url }, other };
  };
  try {
    const honest = !values.short && isChosen('honest') ? await runHonest(drilled, await begin()) : [];
    const measured: Measured[] = [];
    for (const row of chosen) {
      const result = await measureInPeace(row, begin);
      measured.push(result);
      // The rows so far, for those who wait.
      console.error(tableOf([result]).split('\n').at(-1));
      process.stderr.write(drilled.takeLog().slice(0, 2_000));
    }
    return { rows: measured, honest };
  } finally {
    other.stop();
  }
}

function report({ rows: measured, honest }: Result): boolean {
  if (honest.length > 0) console.log(`${honestTableOf(honest)}\n`);
  console.log(tableOf(measured));
  const missed = measured.filter(row => missesOf(row).length > 0);
  console.log(`\n${measured.length - missed.length} of ${measured.length} rows hold`);
  return missed.length === 0 && honest.every(({ holds }) => holds);
}

const folder = mkdtempSync(join(tmpdir(), 'carte-fair-shares-'));
const drilled = await startDrilled(folder, values.checkout === undefined ? undefined : resolve(values.checkout));

let cleaned: Promise<void> | undefined;

/** Leaves neither a server nor its files behind. */
function cleanUp(): Promise<void> {
  cleaned ??= drilled.stop().then(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return cleaned;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  const result = await run(drilled);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(result, null, 2));
  process.exitCode = report(result) ? 0 : 1;
} finally {
  await cleanUp();
}
