import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeData, shortSize, wholeSize } from '../support/fair-shares/data.ts';
import { startOtherTenant } from '../support/fair-shares/processes.ts';
import type { Row } from '../support/fair-shares/row.ts';
import { rows } from '../support/fair-shares/rows.ts';
import { readOptions } from '../support/options.ts';
import { missesOf, slowMiss } from './fair-shares/goals.ts';
import { type HonestStep, runHonest } from './fair-shares/honest.ts';
import { type Field, type Measured, measureRow, shortTimes, wholeTimes } from './fair-shares/measure.ts';
import { honestTableOf, tableOf } from './fair-shares/report.ts';
import { type Drilled, startDrilled } from './fair-shares/service.ts';
import { type Drill, runDrill } from './support/harness.ts';

const options = readOptions(
  `Tries as one caller to stop the others: attacks a service row by row while another tenant reads. --rows: only those whose names match.
--seconds: for how long an attack begins new requests. --checkout: a folder with another version of Carte and its dependencies. --short: a few rows
with a smaller menu and one start of the service.`,
  { rows: '', seconds: 0, checkout: '', json: '', short: false },
);

const isChosen = (name: string) => new RegExp(options.rows, 'i').test(name);
const chosen = rows.filter(({ name, isShort }) => isChosen(name) && (isShort || !options.short));
const usual = options.short ? shortTimes : wholeTimes;
const times = { ...usual, attackSeconds: options.seconds || usual.attackSeconds };

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
  const data = await makeData(drilled, server.url, options.short ? shortSize : wholeSize);
  console.error(`data in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  const other = startOtherTenant();
  const begin = async (): Promise<Field> => {
    if (!options.short) server = await drilled.restart();
    const { url, child } = server;
    return { pid: child.pid ?? 0, target: { ...data.target, url }, tenant: { ...data.tenant, url }, other };
  };
  try {
    const honest = !options.short && isChosen('honest') ? await runHonest(drilled, await begin()) : [];
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

function report({ violations }: Drill, { rows: measured, honest }: Result): void {
  if (honest.length > 0) console.log(`${honestTableOf(honest)}\n`);
  console.log(tableOf(measured));
  const missed = measured.filter(row => missesOf(row).length > 0);
  console.log(`\n${measured.length - missed.length} of ${measured.length} rows hold`);
  violations.push(
    ...missed.map(row => `${row.row}: ${missesOf(row).join(', ')}`),
    ...honest.filter(({ holds }) => !holds).map(({ name, outcome }) => `${name}: ${outcome}`),
  );
}

await runDrill(async drill => {
  const result = await run(await startDrilled(drill, options.checkout === '' ? undefined : resolve(options.checkout)));
  if (options.json !== '') writeFileSync(options.json, JSON.stringify(result, null, 2));
  report(drill, result);
});
