import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConsole, startBrowser } from '../bench/support/console.ts';
import { carte, startServer, stopServer } from '../support/servers.ts';

const picture = 'docs/console.png';
const store = 'lisbon-baixa';
const folder = mkdtempSync(join(tmpdir(), 'carte-picture-'));
const env = { CARTE_DATA: folder, PORT: '0', CARTE_LOG_LEVEL: 'error' };

/** Takes the picture of the order board in docs/console.md: `npx node tools/console-picture.ts`. */
async function takePicture(): Promise<void> {
  const server = await startServer(env);
  const key = await carte(
    ['key', 'create', '--name', 'Kitchen of Lisbon', '--store', store, '--can', 'orders,stock'],
    env,
  );
  const browser = await startBrowser();
  try {
    const { page } = await openConsole(browser, key);
    await page.setViewportSize({ width: 1280, height: 760 });
    await page.goto(`${server.url}/console?store=${store}`);
    // Something in every column.
    for (const step of ['Ready', 'Ready']) {
      const count = await page.locator('.column.ready .card').count();
      await page.locator('.column.accepted').getByRole('button', { name: step }).first().click();
      await page.locator('.column.ready .card').nth(count).waitFor();
    }
    await page.locator('.column.accepted .card-main').first().click();
    await page.getByRole('complementary').waitFor();
    await page.screenshot({ path: picture });
  } finally {
    await browser.close();
    await stopServer(server);
  }
}

try {
  await takePicture();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
