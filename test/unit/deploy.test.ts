import { spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { freePort } from '../../support/failover/postgres.ts';
import { sharedApp } from '../support/app.ts';
import { metricsAlone } from '../support/metrics.ts';

const app = await sharedApp();
const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
const manifest = (name: string): any => parse(read(`deploy/kubernetes/${name}.yaml`));

const kinds = { Deployment, HorizontalPodAutoscaler, Job, PodDisruptionBudget, ConfigMap, Namespace, Secret, Service };
const files = readdirSync(new URL('deploy/kubernetes', root)).filter(name => name.endsWith('.yaml'));
const manifests = files
  .map(name => name.replace('.yaml', ''))
  .filter(name => name !== 'kustomization' && name !== 'adapter.example');

const settings = new Set([...read('src/config.ts').matchAll(/\benv\(\s*'(\w+)'/g)].map(([, name]) => name));
const unknownSettings = (names: readonly string[]) => names.filter(name => !settings.has(name));

const pod = manifest('deployment').spec.template.spec;
const [container] = pod.containers;
// With a password instead of the variable, and without those that are optional.
const composed = read('compose.yaml')
  .replace(/\$\{\w+:\?[^}]*\}/g, 'secret')
  .replace(/\$\{\w+:-\}/g, '""');
const compose = parse(composed, { merge: true });

test.each(manifests)('deploy/kubernetes/%s.yaml is valid for Kubernetes', name => {
  const document = manifest(name);
  const Kind = Object.values(kinds).find(({ kind, apiVersion }) => {
    return kind === document.kind && apiVersion === document.apiVersion;
  });
  if (!Kind) throw new Error(`${name} is of an unknown kind: ${document.apiVersion} ${document.kind}`);
  expect(() => new Kind(document).validate()).not.toThrow();
});

test('the kustomization lists every manifest but the examples', () => {
  const listed: readonly string[] = manifest('kustomization').resources;
  expect(listed.toSorted()).toEqual(manifests.filter(name => !name.endsWith('.example')).map(name => `${name}.yaml`));
});

test('every variable in a manifest is a setting of the service, with a valid value', () => {
  const given = { ...manifest('settings').data, ...manifest('secret.example').stringData };
  expect(unknownSettings(Object.keys(given))).toEqual([]);
  expect(() => readConfig(given)).not.toThrow();
  for (const service of ['migrate', 'carte']) {
    expect(unknownSettings(Object.keys(compose.services[service].environment))).toEqual([]);
  }
  const [, image = ''] = /^ENV (.+)$/m.exec(read('Dockerfile')) ?? [];
  expect(unknownSettings(image.split(' ').map(pair => pair.split('=')[0] ?? ''))).toEqual([]);
});

test('probes use existing paths, and the port that the image listens on', async () => {
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
  const scraped = manifest('deployment').spec.template.metadata.annotations;
  for (const path of [...probes.map(({ httpGet }) => httpGet.path), scraped['prometheus.io/path']]) {
    expect((await app.get(path)).status, path).toBe(200);
  }
  expect(new Set(probes.map(({ httpGet }) => httpGet.port))).toEqual(new Set([container.ports[0].name]));
  expect(manifest('service').spec.ports[0].targetPort).toBe(container.ports[0].name);
  const port = /PORT=(\d+)/.exec(read('Dockerfile'))?.[1];
  expect([String(container.ports[0].containerPort), scraped['prometheus.io/port']]).toEqual([port, port]);
  expect(compose.services.carte.ports[0]).toMatch(new RegExp(`:${port}$`));
});

test('the grace periods are longer than the shutdown', () => {
  const { shutdown } = readConfig(manifest('settings').data);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(shutdown.delaySeconds + shutdown.seconds);
  const { shutdown: ofCompose } = readConfig(compose.services.carte.environment);
  const gracePeriod = Number.parseInt(compose.services.carte.stop_grace_period, 10);
  expect(gracePeriod).toBeGreaterThan(ofCompose.delaySeconds + ofCompose.seconds);
});

test('the metric of the autoscaler is derived from one that the service exposes', async () => {
  const [rule] = manifest('adapter.example').rules.custom;
  const metricNames = manifest('scaling').spec.metrics.flatMap(
    (metric: { pods?: { metric: { name: string } } }) => metric.pods?.metric.name ?? [],
  );
  expect(metricNames).toEqual([rule.name.as]);
  const [, series] = /^(\w+)_count\{/.exec(rule.seriesQuery) ?? [];
  expect(await metricsAlone().registry.metrics()).toContain(`# TYPE ${series} histogram`);
});

test('the image copies its whole build context, and nothing else', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  const context = new Set(
    read('.dockerignore')
      .split('\n')
      .flatMap(line => (line.startsWith('!') ? [line.slice(1)] : [])),
  );
  const isInContext = (path: string) => [...context].some(root => `${path}/`.startsWith(`${root}/`));
  expect(copied.filter(path => !isInContext(path))).toEqual([]);
  expect([...context].filter(path => !copied.includes(path))).toEqual([]);
});

test('deploy/patroni: nobody talks to etcd without TLS, a certificate and a password', () => {
  const [etcd, node] = ['etcd.env', 'node.env'].map(name => read(`deploy/patroni/${name}`));
  expect(`${etcd}${node}`).not.toMatch(/http:/);
  const patroni = parse(read('deploy/patroni/patroni.yml')).etcd;
  for (const [file, name] of [
    ['TRUSTED_CA_FILE', 'cacert'],
    ['CERT_FILE', 'cert'],
    ['KEY_FILE', 'key'],
  ]) {
    for (const kind of ['ETCD_', 'ETCD_PEER_']) expect(etcd).toContain(`\n${kind}${file}=${patroni[name ?? '']}\n`);
  }
  for (const kind of ['ETCD_', 'ETCD_PEER_']) expect(etcd).toContain(`\n${kind}CLIENT_CERT_AUTH=true\n`);
  expect(node).toMatch(/^PATRONI_ETCD_PROTOCOL=https\nPATRONI_ETCD_USERNAME=patroni\nPATRONI_ETCD_PASSWORD=\S+$/m);
  expect(read('deploy/patroni/etcd-users.sh')).toMatch(/^etcdctl auth enable$/m);
});

/** A server that responds with its name and what the proxy has told it, also to an upgrade. */
async function startCell(name: string): Promise<string> {
  const server = createServer(({ headers }, response) =>
    response.end(`${name} ${headers['x-forwarded-for']} ${headers['x-forwarded-host']}`),
  );
  server.on('upgrade', (_request, socket) =>
    socket.on('error', () => {}).end(`HTTP/1.1 400 Bad Request\r\nContent-Length: 5\r\n\r\n${name}`),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const hasHaproxy = spawnSync('haproxy', ['-v']).error === undefined;

test.skipIf(!hasHaproxy)('deploy/cells sends each key to its cell, however it comes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carte-cells-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const map = join(folder, 'cells.map');
  const port = await freePort();
  writeFileSync(map, ['one', 'two'].map((key, at) => `${hash('sha256', key)} cell${at + 1}\n`).join(''));
  const config = read('deploy/cells/haproxy.cfg')
    .replace('10.0.1.10:4000', `127.0.0.1:${port}`)
    .replace('10.0.1.11:4000', await startCell('cell1'))
    .replace('10.0.1.12:4000', await startCell('cell2'))
    .replace('option httpchk GET /health/ready', '')
    .replace('option httpchk GET /health/ready', '')
    .replace('/etc/haproxy/cells.map', map);
  writeFileSync(join(folder, 'haproxy.cfg'), config);
  const proxy = spawn('haproxy', ['-db', '-q', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  onTestFinished(() => void proxy.kill('SIGKILL'));
  const send = async (headers: Record<string, string>, path = '/graphql') => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      headers: { host: 'carte.example', ...headers },
      agent: false,
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', reject).end();
    });
    let body = '';
    for await (const chunk of response) body += chunk;
    return { body, cookie: String(response.headers['set-cookie'] ?? '') };
  };
  while (!(await send({ 'x-api-key': 'two' }).catch(() => undefined))?.body.startsWith('cell'));
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' };
  const cases: readonly (readonly [cell: string, headers: Record<string, string>, path?: string])[] = [
    ['cell1', { 'x-api-key': 'one' }],
    ['cell2', { 'x-api-key': 'two' }],
    ['cell2', { authorization: 'Bearer two' }, '/mcp'],
    ['cell1', { authorization: 'Bearer two', 'x-api-key': 'one' }, '/mcp'],
    ['cell1', { authorization: 'Bearer unknown' }],
    ['cell1', {}],
    ['cell2', { ...upgrade, 'x-api-key': 'two' }],
    ['cell2', upgrade, '/graphql?cell=cell2'],
    ['cell2', { ...upgrade, cookie: 'a=b; cell=cell2' }],
    ['cell1', { ...upgrade, cookie: 'cell=evil' }],
    ['cell1', upgrade],
    // Of other requests the key decides alone.
    ['cell1', { cookie: 'cell=cell2' }, '/graphql?cell=cell2'],
  ];
  for (const [cell, headers, path] of cases) {
    const { body, cookie } = await send(headers, path);
    expect([body.split(' ')[0], cookie], JSON.stringify([headers, path])).toEqual([cell, '']);
  }
  const own = await send({ 'x-api-key': 'two', 'sec-fetch-site': 'same-origin', 'x-forwarded-host': 'evil.example' });
  expect(own).toEqual({
    body: 'cell2 127.0.0.1 carte.example',
    cookie: 'cell=cell2; Path=/; HttpOnly; SameSite=Strict',
  });
});
