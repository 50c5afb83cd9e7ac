import { readdirSync, readFileSync } from 'node:fs';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { createMetrics } from '../../src/server/metrics.ts';
import { startApp } from '../support/app.ts';

const app = await startApp();
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
  expect(await createMetrics().registry.metrics()).toContain(`# TYPE ${series} histogram`);
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
