import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fullBody } from '../support/menu-body.ts';
import { run, runProcess, temporaryFolder } from './support.ts';

/** Checks a file in this process. */
function check(body: string, ...options: readonly string[]) {
  const file = join(temporaryFolder(), 'menu.json');
  writeFileSync(file, body);
  return run(['menu', 'check', file, ...options], {});
}

describe('carte menu check', () => {
  test('prints each error with its path and exits with 1', async () => {
    const menu = { external_id: 'm', name: {}, availability: [], category_external_ids: ['nope'] };
    // It reads the file descriptor of standard input, which only a process of its own has.
    const body = JSON.stringify({ ...fullBody(), menus: [menu] });
    const { code, stdout, stderr } = await runProcess(['menu', 'check', '-'], {}, body);
    expect(stdout).toContain('INVALID  body.menus[0].name.translations: Field required\n');
    expect(stdout).toContain(
      'INVALID  body.menus[0].category_external_ids[0]: no category has the external id "nope"\n',
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'carte: POST would reject - with 422.\n' });
  });

  test('with --json prints errors in the format of the route', async () => {
    const { code, stdout } = await check('{x', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ errors: [{ loc: ['body'], type: 'json_invalid' }], diagnostics: [] });
  });

  test('prints the diagnostics of a valid configuration and exits with 0', async () => {
    const body = fullBody();
    const { code, stdout } = await check(JSON.stringify({ ...body, menus: [] }), '--json');
    expect(code).toBe(0);
    const { errors, diagnostics } = JSON.parse(stdout);
    expect(errors).toEqual([]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: expect.any(String), path: expect.any(Array) }));
  });

  test('names a file that cannot be read', async () => {
    const { code, stderr } = await run(['menu', 'check', '/no/such/file'], {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^carte: \/no\/such\/file cannot be read: ENOENT/),
    });
  });
});
