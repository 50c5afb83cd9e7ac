import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type ASTVisitor,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  parse,
  parseType,
  print,
  visit,
} from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBreaks } from '../../tools/compatibility/breaks.ts';
import { describePromises } from '../../tools/compatibility/promises.ts';
import { metricsAlone } from '../support/metrics.ts';

const released = describePromises();

type Edit = (text: string) => string;

/** A file after changes, each of which has to find something. */
function textsOf(file: string, ...edits: readonly Edit[]) {
  const text = edits.reduce((before, edit) => {
    const after = edit(before);
    if (after === before) throw new Error(`Nothing is planted in ${file} by ${edit}`);
    return after;
  }, released[file] ?? '');
  return { [file]: text };
}

const planted = (file: string, ...edits: readonly Edit[]) => ({ ...released, ...textsOf(file, ...edits) });

const replace =
  (from: string | RegExp, to: string): Edit =>
  text =>
    text.replace(from, to);

const edit =
  (visitor: ASTVisitor): Edit =>
  text =>
    print(visit(parse(text), visitor));

const withoutOperation = (operation: string) =>
  edit({ OperationDefinition: ({ name }) => (name?.value === operation ? null : undefined) });

type FieldNode = FieldDefinitionNode | InputValueDefinitionNode;

/** Another field of a type, or none. */
const changeField = (type: string, field: string, change: (node: FieldNode) => FieldNode | null) =>
  edit({
    enter(node, _key, _parent, _path, ancestors) {
      const isField = node.kind === Kind.FIELD_DEFINITION || node.kind === Kind.INPUT_VALUE_DEFINITION;
      const parent = ancestors.at(-1);
      const isOfType = parent && 'kind' in parent && 'name' in parent && parent.name?.value === type;
      return isField && isOfType && node.name.value === field ? change(node) : undefined;
    },
  });

describe('what breaks a release is found:', () => {
  test('in the graph', () => {
    const current = planted(
      'graph.graphql',
      // Before the others, which print it anew.
      replace('    id: ID!\n  ): Merchant ', '    id: ID!\n    name: String!\n  ): Merchant '),
      replace(/(completedOrders\([^)]*first: Int! = )30/, '$17'),
      replace(/(\n {2}menuLanguages: [^\n]*)with: READ_MENUS/, '$1with: READ_ORDERS'),
      replace(/(\n {2}menuLanguages: [^\n]*)byGuests: true/, '$1byGuests: false'),
      changeField('Store', 'ordersRevision', node => ({ ...node, type: parseType('SafeInt') }) as FieldNode),
      changeField('Order', 'isRead', () => null),
      changeField('SaveStoreInput', 'timezone', node => ({ ...node, type: parseType('String!') }) as FieldNode),
      replace(/\n {2}customerComments: String /, '\n  customerComments: String @internal '),
      edit({ EnumValueDefinition: ({ name }) => (name.value === 'DINE_IN' ? null : undefined) }),
    );
    const found = findBreaks(released, current).filter(text => text.startsWith('graph: '));
    expect(found.sort()).toEqual([
      'graph: A required arg name on Query.merchant was added.',
      'graph: DINE_IN was removed from enum type ServiceType.',
      'graph: GuestOrder.customerComments was removed.',
      'graph: Order.isRead was removed.',
      'graph: SaveStoreInput.timezone changed type from String to String!.',
      'graph: Store.completedOrders arg first has changed defaultValue from 30 to 7.',
      'graph: Store.menuLanguages is no longer for publishable keys.',
      'graph: Store.menuLanguages needs READ_ORDERS, which it did not.',
      'graph: Store.ordersRevision changed type from SafeInt! to SafeInt.',
    ]);
  });

  test('in the sets of operations, also where the graph has other names', () => {
    const renamed = replace(/\bis_read: isRead\b/g, 'is_read: isSeen');
    const current = {
      ...planted('graph.graphql', replace(/\n {2}isRead: Boolean! /, '\n  isSeen: Boolean! ')),
      ...textsOf('sets/v1.graphql', renamed, withoutOperation('listMerchants')),
      ...textsOf('sets/pos.graphql', renamed, replace('query listEvents', 'query allEvents')),
      ...textsOf('sets/webhooks.graphql', renamed, withoutOperation('eventMessage')),
    };
    expect(findBreaks(released, current)).toEqual(
      expect.arrayContaining([
        'graph: Order.isRead was removed.',
        'sets/v1.graphql: listMerchants (GET /v1/merchants/) was removed.',
        'sets/v1.graphql: Order.is_read was "isRead", and is "isSeen".',
        'sets/pos.graphql: listEvents (GET /pos/v1/events) was removed.',
        'sets/webhooks.graphql: The message eventMessage was removed.',
      ]),
    );
    const invalid = planted('sets/pos.graphql', replace('@tool', '@tol'));
    expect(findBreaks(invalid, released)).toEqual([
      expect.stringMatching(/^sets\/pos\.graphql: released\/sets\/pos\.graphql:\d+: Unknown directive "@tol"\.$/),
    ]);
  });

  test('in the directives of sets, and in names', () => {
    const current = {
      ...textsOf('directives.graphql', replace('  digits: Int! = 2\n', '')),
      ...textsOf(
        'names.txt',
        ...['setting CARTE_BODY_LIMIT', 'command carte key create --store', 'metric carte_database_waiting'].map(name =>
          replace(`${name}\n`, ''),
        ),
      ),
    };
    expect(findBreaks(released, { ...released, ...current })).toEqual([
      'directives: digits was removed from decimal.',
      'names: the command carte key create --store is gone.',
      'names: the metric carte_database_waiting is gone.',
      'names: the setting CARTE_BODY_LIMIT is gone.',
    ]);
  });
});

test('what is added breaks nothing', () => {
  const current = {
    ...textsOf(
      'graph.graphql',
      replace('\n  DINE_IN\n', '\n  DINE_IN\n  TO_THE_CAR\n'),
      replace('\ninput SaveStoreInput {', '\ninput SaveStoreInput {\n  colour: String'),
      replace('    id: ID!\n  ): Merchant ', '    id: ID!\n    colour: String = "red"\n  ): Merchant '),
      replace('\n  menuLanguages: ', '\n  colour: String @readable\n  menuLanguages: '),
    ),
    ...textsOf('sets/v1.graphql', replace('\n  is_read: isRead', '\n  seen: isRead\n  is_read: isRead')),
    ...textsOf('names.txt', text => `${text}setting CARTE_COLOUR\n`),
  };
  expect(findBreaks(released, { ...released, ...current })).toEqual([]);
});

test('the names have every metric', async () => {
  const metrics = (await metricsAlone().registry.metrics()).matchAll(/^# TYPE (carte_\w+)/gm);
  const names = [...metrics].map(([, name]) => `metric ${name}`);
  expect(names.length).toBeGreaterThan(20);
  expect(released['names.txt']?.split('\n')).toEqual(
    expect.arrayContaining([...names, 'setting PORT', 'setting DATABASE_URL', 'command carte serve']),
  );
});

test('the check names each break, unless it is allowed with a reason, and what is allowed in vain', async () => {
  const program = fileURLToPath(new URL('../../tools/check-compatibility.ts', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'carte-released-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
  };
  const check = async (allowed: Readonly<Record<string, string>>) => {
    write({ 'allowed-breaks.json': JSON.stringify(allowed) });
    const { code, stderr } = await promisify(execFile)(process.execPath, [program, folder]).catch(error => error);
    return { code, lines: String(stderr).trim().split('\n') };
  };
  write({
    ...planted('graph.graphql', replace('\n  menuLanguages: ', '\n  colour: String @readable\n  menuLanguages: ')),
    ...textsOf('names.txt', text => `${text}setting CARTE_COLOUR\n`),
  });
  const breaks = ['graph: Store.colour was removed.', 'names: the setting CARTE_COLOUR is gone.'];
  expect(await check({})).toEqual({ code: 1, lines: [...breaks, expect.stringMatching(/^Each breaks what was /)] });
  const reasons = Object.fromEntries(breaks.map(text => [text, 'Nobody uses it.']));
  expect(await check({ ...reasons, 'graph: Store.id was removed.': 'Nobody needs it.' })).toEqual({
    code: 1,
    lines: [expect.stringMatching(/allows what is no break; remove it: graph: Store\.id was removed\.$/)],
  });
});
