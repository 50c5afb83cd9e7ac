import { createClient, Incomparable, type Side } from '../compare/client.ts';
import { Findings } from '../compare/findings.ts';
import { counted, describeCuts, describeFindings, routeRows } from '../compare/report.ts';
import { readRoutes } from '../compare/routes.ts';
import { compareServices } from '../compare/run.ts';
import { OperatorError } from '../errors.ts';
import { createSchema } from '../graphql/schema.ts';
import { loadContract } from '../rest/contract/contract.ts';
import { table, terminal } from './terminal.ts';

export interface CompareOptions {
  readonly old: string;
  readonly new: string;
  readonly oldKey?: string;
  readonly newKey?: string;
  readonly merchants: number;
  readonly stores: number;
  readonly store: readonly string[];
  readonly orders: number;
  readonly from?: Date;
  readonly to?: Date;
  readonly ids?: boolean;
  readonly order?: boolean;
  readonly ignore: readonly string[];
  readonly examples: number;
  readonly concurrency: number;
  readonly timeout: number;
  readonly json?: boolean;
}

/** Compares two services and prints where they differ. */
export async function compare(options: CompareOptions): Promise<void> {
  const routes = readRoutes(loadContract(createSchema()), { ids: options.ids ?? false, order: options.order ?? false });
  const names = routes.map(({ name }) => name);
  const findings = new Findings(names, options.ignore);
  let complete = false;
  try {
    await compareServices({
      old: createClient(sideOf('old', options.old, options.oldKey), { seconds: options.timeout }),
      new: createClient(sideOf('new', options.new, options.newKey), { seconds: options.timeout }),
      routes,
      findings,
      bounds: { Merchant: options.merchants, Store: options.stores, Order: options.orders },
      stores: options.store,
      startTime: options.from,
      endTime: options.to,
      concurrency: options.concurrency,
      onProgress: () => terminal.progress(summary(findings)),
    });
    complete = true;
  } finally {
    // What was found before a service went away is still worth knowing.
    if (findings.compared > 0) show(findings, complete, options);
  }
  if (findings.compared === 0) throw new Incomparable('There is nothing to compare within these bounds.');
  if (findings.size > 0) throw new OperatorError(`The services differ: ${summary(findings)}.`);
  terminal.say(`The services agree: ${summary(findings)}.`);
}

function show(findings: Findings, complete: boolean, { json = false, examples: shown }: CompareOptions): void {
  const [differences, routes] = [findings.list(), findings.routes()];
  if (json) {
    terminal.out(JSON.stringify({ complete: complete && !findings.full, routes, differences }, null, 2));
    return;
  }
  if (differences.length > 0) terminal.out(`${describeFindings(differences, shown)}\n`);
  terminal.out(table(routeRows(routes)));
  for (const cut of describeCuts(routes)) terminal.say(cut);
  if (findings.full) terminal.say('There are more differences than can be kept; the comparison ended early.');
}

function summary({ compared, size }: Findings): string {
  return `${counted(compared, 'answer')} compared, ${counted(size, 'difference')}`;
}

function sideOf(name: Side['name'], address: string, key: string | undefined): Side {
  // What is wrong may hold a secret, so it is not repeated; fetch would do so in its own words.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new Incomparable(`The key of the ${name} service holds a character that cannot stand in a header.`);
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new Incomparable(`The address of the ${name} service must be one such as https://api.example.`);
  }
  return { name, url: url.href.replace(/\/+$/, ''), key };
}
