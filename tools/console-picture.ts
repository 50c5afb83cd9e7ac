import { openConsole, startBrowser } from '../support/console.ts';
import { runProgram } from '../support/program.ts';
import { carte } from '../support/servers.ts';

const picture = 'docs/console.png';
const store = 'lisbon-baixa';
const command = ['key', 'create', '--name', 'Kitchen of Lisbon', '--store', store, '--can', 'orders,stock'];

// Takes the picture of the order board in docs/console.md: `npx node tools/console-picture.ts`.
await runProgram(async program => {
  const env = { CARTE_DATA: program.folder, PORT: '0', CARTE_LOG_LEVEL: 'error' };
  const server = await program.startServer(env);
  const key = await carte(command, env);
  const browser = await startBrowser();
  program.atEnd(() => browser.close());
  const { page } = await openConsole(browser, key);
  await page.setViewportSize({ width: 1280, height: 760 });
  await page.goto(`${server.url}/console?store=${store}`);
  // Something in every column.
  for (const step of ['Ready', 'Ready']) {
    const count = await page.locator('.column.ready .card').count();
    await page.locator('.column.accepted').getByRole('button', { name: step }).first().press('Enter');
    await page.locator('.column.ready .card').nth(count).waitFor();
  }
  await page.locator('.column.accepted .card-main').first().click();
  await page.getByRole('complementary').waitFor();
  await page.screenshot({ path: picture });
});
