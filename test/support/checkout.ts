import { copyFileSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ownFiles = ['.git', '.carte', 'package.json'];

/** A folder like the working copy, where commands may leave files; with merchants and stores to import. */
export function makeCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carte checkout '));
  for (const name of readdirSync(root)) {
    if (!ownFiles.includes(name)) symlinkSync(join(root, name), join(folder, name));
  }
  // npm runs scripts where this file really is.
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const name of ['merchants.ndjson', 'stores.ndjson']) {
    copyFileSync(join(root, 'demo', name), join(folder, name));
  }
  return folder;
}

/** Some orders of the running service, to import. */
export async function writeOrders(folder: string, url: string, key: string): Promise<void> {
  const response = await fetch(`${url}/v1/stores/lisbon-baixa/orders/?page_size=5`, { headers: { 'x-api-key': key } });
  const { order_result_list: orders } = (await response.json()) as { readonly order_result_list: readonly object[] };
  writeFileSync(join(folder, 'orders.ndjson'), orders.map(order => `${JSON.stringify(order)}\n`).join(''));
}
