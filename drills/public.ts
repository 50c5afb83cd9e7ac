import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from '../support/cpu.ts';
import type { HttpRequest } from '../support/fair-shares/request.ts';
import { readOptions } from '../support/options.ts';
import { type House, houseSettings, openHouse } from '../support/public/house.ts';
import { type Scene, scenes } from '../support/public/scenes.ts';
import { startDrilled } from './fair-shares/service.ts';
import { runDrill } from './support/harness.ts';

const options = readOptions(
  `Plays the public against the house: guests with publishable keys try to stop a POS, an office and each other, scene by scene, each judged against
a calm run of the same process. --scenes: only those whose names match. --seeds: how often each is played, with other values. --checkout: a folder with
another version of Carte and its dependencies.`,
  { scenes: '', seeds: 3, checkout: '' },
);

const size = { stores: 2_000, unseen: 60, divisor: 1 };
/** How often the honest callers send what they send. */
const rounds = 5;
/**
 * The 95th percentile of those with a secret key: twice the calm one and this, the time of two documents at the limits, which are parsed and refused
 * in one turn each. Other guests take turns with those who ask for much.
 */
const slackMs = { keys: 80, guests: 200 };

type Kind = keyof typeof slackMs;

interface Served {
  /** Statuses other than 200, with the requests that got them. */
  readonly refused: readonly string[];
  readonly p95: Readonly<Record<Kind, number>>;
}

async function serve(house: House, requestsOf: (round: number) => readonly HttpRequest[]): Promise<Served> {
  const times: Record<Kind, number[]> = { keys: [], guests: [] };
  const refused: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [index, request] of requestsOf(round).entries()) {
      const { status, ms, text } = await house.client.send(request);
      times[request.headers?.['x-forwarded-for'] === undefined ? 'keys' : 'guests'].push(ms);
      const isError = text.includes('"errors":');
      const found = `${status} ${isError ? text.slice(0, 100) : ''}`;
      if (status !== 200 || isError) refused.push(`request ${index} (${request.path}): ${found}`);
    }
  }
  return { refused, p95: { keys: p95Of(times.keys), guests: p95Of(times.guests) } };
}

function p95Of(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * 0.95)] ?? 0;
}

interface Played {
  readonly calm: Served['p95'];
  readonly during: Served['p95'];
  readonly cpu: number;
  readonly violations: readonly string[];
}

async function play(
  house: House,
  scene: Scene,
  seed: string,
  { pid, isTimed }: { readonly pid: number; readonly isTimed: boolean },
): Promise<Played> {
  const { p95: calm } = await serve(house, round => scene.honest(house, `${seed}calm${round}`));
  const before = cpuSeconds(pid);
  const end = await scene.begin(house, seed);
  // Until the public is there.
  await sleep(300);
  const { refused, p95: during } = await serve(house, round =>
    scene.honest(house, round === 0 ? seed : `${seed}n${round}`),
  );
  const violations = [...refused, ...((await scene.check?.(house, seed)) ?? [])];
  end();
  const cpu = cpuSeconds(pid) - before;
  for (const kind of ['keys', 'guests'] as const) {
    const found = `p95 of ${kind} is ${during[kind].toFixed(0)} ms, and ${calm[kind].toFixed(0)} ms when calm`;
    if (isTimed && during[kind] > 2 * calm[kind] + slackMs[kind]) violations.push(found);
  }
  await settle(pid);
  return { calm, during, cpu, violations };
}

/** Waits until the service has little to do. */
async function settle(pid: number): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    const before = cpuSeconds(pid);
    await sleep(300);
    if (cpuSeconds(pid) - before < 0.05) return;
  }
}

await runDrill(async drill => {
  const checkout = options.checkout === '' ? undefined : resolve(options.checkout);
  const drilled = await startDrilled(drill, checkout, houseSettings);
  const { url, child } = await drilled.restart();
  const house = await openHouse(drilled, url, size);
  console.log('scene | seed | calm p95 in ms, of guests | p95, of guests | CPU in s | violations');
  for (const scene of scenes.filter(({ name }) => new RegExp(options.scenes, 'i').test(name))) {
    // The first is played to a process that has not compiled the code for it: what must hold is judged, times are not.
    for (let number = 0; number <= options.seeds; number++) {
      const seed = `s${number}x${Math.random().toString(36).slice(2, 6)}`;
      const { calm, during, cpu, violations } = await play(house, scene, seed, {
        pid: child.pid ?? 0,
        isTimed: number > 0,
      });
      const times = [calm, during].map(({ keys, guests }) => `${keys.toFixed(1)}, ${guests.toFixed(1)}`);
      console.log([scene.name, seed, ...times, cpu.toFixed(2), violations.length].join(' | '));
      drill.violations.push(...violations.map(violation => `${scene.name}, ${seed}: ${violation}`));
      process.stderr.write(drilled.takeLog().slice(0, 2_000));
    }
  }
});
