import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../../support/program.ts';
import type { Environment } from '../../support/servers.ts';
import type { Cluster } from './cluster.ts';
import { addresses, clientAddress } from './network.ts';

const file = (name: string) => fileURLToPath(new URL(`../../deploy/patroni/${name}`, import.meta.url));
const account = { user: 'carte', password: 'secret' };
const urlOf = (hosts: string) => `postgresql://${account.user}:${account.password}@${hosts}/carte`;
const writer = urlOf(`${clientAddress}:5000`);

/** How Carte finds its database. */
export const routes = {
  writer: { DATABASE_URL: writer },
  hosts: { DATABASE_URL: `${urlOf(Object.values(addresses).join(','))}?target_session_attrs=read-write` },
  // Debian's PgBouncer tracks no prepared statements.
  pgbouncer: {
    DATABASE_URL: urlOf(`${clientAddress}:6432`),
    DATABASE_LISTEN_URL: writer,
    DATABASE_PREPARE: 'off',
  },
} as const satisfies Readonly<Record<string, Environment>>;
export type Route = keyof typeof routes;
// The keys of a literal.
export const routeNames = Object.keys(routes) as readonly Route[];

/** Creates the database of the service, and starts HAProxy and PgBouncer with the files of deploy/patroni. */
export async function openRoutes(cluster: Cluster, program: Program): Promise<void> {
  const leader = await cluster.untilWhole();
  await leader.query(`create role ${account.user} login password '${account.password}'`);
  await leader.query(`create database carte owner ${account.user}`);
  run(program, 'haproxy', ['-db', '-q', '-f', file('haproxy.cfg')]);
  const users = join(program.folder, 'userlist.txt');
  writeFileSync(users, `"${account.user}" "${account.password}"\n`);
  execFileSync('mount', ['--bind', users, '/etc/pgbouncer/userlist.txt']);
  run(program, 'pgbouncer', ['-q', '-u', 'postgres', file('pgbouncer.ini')]);
}

/** Runs a program, and starts it again when it ends, as systemd does. */
function run(program: Program, name: string, args: readonly string[]): void {
  let isOver = false;
  const start = () => {
    const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', chunk => (complaint = `${complaint}${chunk}`.slice(-500)));
    child.on('exit', (code, signal) => {
      if (isOver) return;
      console.log(
        `  ${name} has ended (${code ?? signal}), and is started again: ${complaint.trim().split('\n').at(-1)}`,
      );
      setTimeout(start, 500);
    });
    stop = () => child.kill('SIGKILL');
  };
  let stop = () => true;
  start();
  program.atEnd(() => {
    isOver = true;
    stop();
  });
}
