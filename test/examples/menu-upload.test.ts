import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { fullBody } from '../support/menu-body.ts';
import { readExample } from './readme.ts';

const missing = ['bash', 'curl', 'jq'].filter(tool => spawnSync(tool, ['--version']).error);
const app = await startApp();
const example = readExample('menu-upload', app.key);
const script = join(example.folder, 'upload.sh');
const folder = mkdtempSync(join(tmpdir(), 'carte upload '));
afterAll(() => rmSync(folder, { recursive: true }));

/** Uploads a text as a file of that name; gives back the exit status and what was said. */
async function upload(storeId: string, text: string, more: readonly string[] = [], key = app.key) {
  const file = join(folder, 'menu.json');
  writeFileSync(file, text);
  const env = { ...process.env, CARTE_URL: app.url, CARTE_KEY: key };
  const child = spawn('bash', [script, storeId, file, ...more], { env });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (said.stdout += chunk));
  child.stderr.on('data', chunk => (said.stderr += chunk));
  const code = await new Promise(resolve => child.on('close', resolve));
  return { code, stdout: said.stdout, stderr: said.stderr.replaceAll(file, 'FILE') };
}

describe.skipIf(missing.length > 0)(`examples/menu-upload (missing here: ${missing.join(', ') || 'nothing'})`, () => {
  test('the command of its README uploads a menu of the demo', async () => {
    await app.data.store({ id: 'lisbon-baixa' });
    const env = { ...process.env, CARTE_URL: app.url };
    const { stdout } = await promisify(execFile)('bash', ['-euc', example.commands], { cwd: example.folder, env });
    expect(stdout).toMatch(/^\d+ menus, ETag ".+"\n$/);
  });

  test('a valid file is uploaded: number of menus and ETag', async () => {
    const store = await app.data.store();
    const { code, stdout, stderr } = await upload(store.id, JSON.stringify(fullBody()));
    const tag = (await app.post(`/v1/stores/${store.id}/menu_configuration/`, fullBody())).headers.get('etag');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `2 menus, ETag ${tag}\n`, stderr: '' });
  });

  test('an invalid file is rejected: every error with its path', async () => {
    const store = await app.data.store();
    const body = { ...fullBody(), modifier_items: {} };
    const items = body.items.map(item => ({ ...item, price: '1', name: { translations: { en: 5 } } }));
    expect(await upload(store.id, JSON.stringify({ ...body, items }))).toEqual({
      code: 1,
      stdout: `${[
        'items[0].name.translations.en: Input should be a valid string',
        'items[0].price: Input should be a valid integer',
        'items[1].name.translations.en: Input should be a valid string',
        'items[1].price: Input should be a valid integer',
        'modifier_items: Input should be a valid list',
      ].join('\n')}\n`,
      stderr: 'FILE was rejected, nothing was changed\n',
    });
  });

  test('a file that is not JSON is rejected with the position', async () => {
    const store = await app.data.store();
    expect(await upload(store.id, '{"items": [}')).toMatchObject({
      code: 1,
      stdout: 'character 11: JSON decode error\n',
    });
  });

  test('with an ETag it is uploaded only if the ETag is current', async () => {
    const store = await app.data.store();
    const first = await upload(store.id, JSON.stringify(fullBody()));
    const tag = /ETag (.*)/.exec(first.stdout)?.[1] ?? '';
    const changed = JSON.stringify({ ...fullBody(), menus: [] });
    expect(await upload(store.id, changed, [tag])).toMatchObject({ code: 0, stderr: '' });
    expect(await upload(store.id, JSON.stringify(fullBody()), [tag])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The menu configuration is no longer at revision \d+\.\n$/),
    });
  });

  test('other errors are printed as the response has them', async () => {
    const store = await app.data.store();
    const readOnly = await app.newKey({ permissions: [] });
    expect(await upload(store.id, '{"items": []}', [], readOnly)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'This API key may only read.\n',
    });
    expect(await upload('no store', '{"items": []}')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Nothing with this/),
    });
  });
});
