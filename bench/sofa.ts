/**
 * What SOFA's handler adds to a small request: the same operation with it and without it, in one process and one run:
 *   node bench/sofa.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { readConfig } from '../src/config.ts';
import { openDatabase } from '../src/database/open.ts';
import { createReading } from '../src/database/query.ts';
import { loadDemo } from '../src/demo/load.ts';
import { createContext } from '../src/graphql/context.ts';
import { createSchema } from '../src/graphql/schema.ts';
import { operatorReach } from '../src/reach.ts';
import { loadContract, rootFieldOf } from '../src/rest/contract/contract.ts';
import { compileRun, valueAt } from '../src/rest/execution.ts';
import { compileShape } from '../src/rest/shape.ts';
import { Call, generateHandlers } from '../src/rest/sofa.ts';

const folder = mkdtempSync(join(tmpdir(), 'carte-sofa-'));
const database = await openDatabase(readConfig({ CARTE_DATA: folder }));
await loadDemo(database.orm);
const source = { orm: database.orm, ...(await createReading(database.orm, { prepare: true })) };
const schema = createSchema();
const contract = loadContract(schema);
const operation = contract.operations.find(({ name }) => name === 'getMerchant');
if (!operation) throw new Error('There is no getMerchant');
const run = compileRun(schema, operation, operation.document);
const shape = compileShape(rootFieldOf(contract, operation).type);
const send = generateHandlers(contract)(operation);
const variables = { merchant_service_id: 'dona-gaivota' };
const execute = async () => shape(valueAt(await run(variables, createContext(source, operatorReach)), operation.body));

const app = Fastify();
app.get('/with', async (_request, reply) =>
  reply.type('application/json').send(await send(variables, new Call(operation, execute))),
);
app.get('/without', async (_request, reply) => reply.type('application/json').send(JSON.stringify(await execute())));
const url = await app.listen({ host: '127.0.0.1', port: 0 });

async function measure(path: string, requests: number): Promise<number> {
  const before = process.cpuUsage();
  for (let sent = 0; sent < requests; sent += 8) {
    await Promise.all(Array.from({ length: 8 }, async () => (await fetch(url + path)).arrayBuffer()));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / requests;
}

const rounds: { with: number; without: number }[] = [];
for (const path of ['/with', '/without']) await measure(path, 2000);
for (let round = 0; round < 5; round++) {
  rounds.push({ with: await measure('/with', 2000), without: await measure('/without', 2000) });
}
const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const [withSofa, without] = [median(rounds.map(round => round.with)), median(rounds.map(round => round.without))];
console.log(`CPU a request, client included: ${withSofa.toFixed(3)} ms with SOFA, ${without.toFixed(3)} ms without`);
console.log(`SOFA adds ${((withSofa - without) * 1000).toFixed(0)} µs`);
await app.close();
await database.close();
rmSync(folder, { recursive: true, force: true });
