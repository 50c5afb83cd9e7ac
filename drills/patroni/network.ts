import { execFileSync } from 'node:child_process';

/** As deploy/patroni has them: the client's address is that of HAProxy, PgBouncer and Carte. */
export const clientAddress = '10.0.0.10';
export const addresses = { db1: '10.0.0.11', db2: '10.0.0.12', db3: '10.0.0.13' } as const;
export type NodeName = keyof typeof addresses;
// The keys of a literal.
export const nodeNames = Object.keys(addresses) as readonly NodeName[];

const ip = (...args: readonly string[]) => execFileSync('ip', args, { encoding: 'utf8' });
/** The address of no interface: the packet is sent, and nobody takes it. */
const nobody = '02:00:00:00:00:ff';

/** Connects a network namespace for each node with this one by a bridge. */
export function createNetwork(): void {
  execFileSync('mkdir', ['-p', '/run/netns']);
  execFileSync('mount', ['-t', 'tmpfs', 'none', '/run/netns']);
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'nodes', 'type', 'bridge');
  ip('address', 'add', `${clientAddress}/24`, 'dev', 'nodes');
  ip('link', 'set', 'nodes', 'up');
  for (const name of nodeNames) {
    ip('netns', 'add', name);
    ip('link', 'add', `to-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', `to-${name}`, 'master', 'nodes', 'up');
    ip('-n', name, 'address', 'add', `${addresses[name]}/24`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
  }
}

/** Loses every packet between a node and the others, and with `clients` also those between it and the clients; connections stay open. */
export function cutOff(name: NodeName, { clients }: { readonly clients: boolean }): void {
  const others: string[] = nodeNames.filter(other => other !== name).map(other => addresses[other]);
  if (clients) others.push(clientAddress);
  for (const other of others) {
    ip('-n', name, 'neighbour', 'replace', other, 'lladdr', nobody, 'dev', 'eth0', 'nud', 'permanent');
  }
  const back = ['neighbour', 'replace', addresses[name], 'lladdr', nobody, 'dev'];
  for (const other of nodeNames) if (other !== name) ip('-n', other, ...back, 'eth0', 'nud', 'permanent');
  if (clients) ip(...back, 'nodes', 'nud', 'permanent');
}

/** Connects a node again. */
export function reconnect(name: NodeName): void {
  ip('-n', name, 'neighbour', 'flush', 'all', 'nud', 'permanent');
  for (const other of nodeNames) if (other !== name) ip('-n', other, 'neighbour', 'flush', 'all', 'nud', 'permanent');
  ip('neighbour', 'flush', 'all', 'nud', 'permanent');
}

export const processesOf = (name: NodeName): number[] =>
  ip('netns', 'pids', name).trim().split('\n').filter(Boolean).map(Number);
