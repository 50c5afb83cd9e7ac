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
  const open = async () => {
    await page.goto(`${server.url}/console?store=${store}`);
    await page.getByText('Live', { exact: true }).waitFor();
  };
  await open();
  // Late enough that some of the orders are urgent, also where the store is closed now.
  const dues = await page
    .locator('.card:not(.ready) .when')
    .evaluateAll(all => all.map(due => due.getAttribute('datetime') ?? ''));
  const time = Math.max(Date.now(), Math.min(...dues.map(due => Date.parse(due)))) + 3 * 60_000;
  await page.clock.install({ time });
  await open();
  // Something in every column.
  for (const [from, to] of [
    ['new', 'accepted'],
    ['accepted', 'ready'],
  ]) {
    const count = await page.locator(`.column.${to} .card`).count();
    if (count > 1) continue;
    await page.locator(`.column.${from} [data-action=next]`).first().press('Enter');
    await page.locator(`.column.${to} .card`).nth(count).waitFor();
  }
  await page.locator('.column.accepted .card-main').first().click();
  await page.getByRole('complementary').waitFor();
  await page.screenshot({ path: picture });
});
