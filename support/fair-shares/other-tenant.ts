/** The other tenant: a program of its own, so that the attacker's work does not delay its clock. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient, type HttpClient, type HttpRequest } from './request.ts';

export interface Tenant {
  readonly url: string;
  readonly key: string;
  readonly storeId: string;
}

export interface Sample {
  readonly status: number;
  readonly ms: number;
}

export type Command = { readonly begin: Tenant } | { readonly take: true } | { readonly end: true };

const pauseMs = 100;
const limitMs = 20_000;
/** So that requests are sent in time also while earlier ones wait. */
const connections = 250;
const warmUps = 40;

function requestsOf({ key, storeId }: Tenant): readonly HttpRequest[] {
  const headers = { 'x-api-key': key };
  const query = 'query ($id: ID!) { store(id: $id) { name { text } ordersRevision } }';
  return [
    { path: '/graphql', headers, body: JSON.stringify({ query, variables: { id: storeId } }) },
    { path: `/v1/stores/${storeId}`, headers },
  ];
}

let client: HttpClient | undefined;
let timers: NodeJS.Timeout[] = [];
let samples: Promise<Sample>[] = [];

async function begin(tenant: Tenant): Promise<void> {
  const opened = createHttpClient(tenant.url, { connections, limitMs });
  client = opened;
  const requests = requestsOf(tenant);
  for (let count = 0; count < warmUps; count++) for (const request of requests) await opened.send(request);
  const invalid = { path: '/graphql', headers: { 'x-api-key': tenant.key }, body: '{"query":"{ unknown }"}' };
  for (let count = 0; count < warmUps; count++) await opened.send(invalid);
  for (const request of requests) {
    timers.push(setInterval(() => void samples.push(measure(opened, request)), pauseMs));
    await sleep(pauseMs / requests.length);
  }
}

async function measure(opened: HttpClient, request: HttpRequest): Promise<Sample> {
  const { status, ms, text } = await opened.send(request);
  // An error in a 200 counts as what it means.
  return { status: status === 200 && text.includes('"errors":') ? 500 : status, ms };
}

async function take(): Promise<readonly Sample[]> {
  const taken = samples;
  samples = [];
  return Promise.all(taken);
}

function end(): void {
  for (const timer of timers) clearInterval(timer);
  timers = [];
  samples = [];
  client?.close();
}

async function handle(command: Command): Promise<readonly Sample[]> {
  if ('take' in command) return take();
  if ('begin' in command) await begin(command.begin);
  else end();
  return [];
}

process.on('message', async (command: Command) => process.send?.(await handle(command)));
