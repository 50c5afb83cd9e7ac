import { OperatorError } from '@carte/base/errors';
import { ComparisonError, createClient, type Service } from '@carte/compare/client';
import { counted, Findings, formatCuts, formatFindings, routeRows } from '@carte/compare/findings';
import { readRoutes } from '@carte/compare/routes';
import { compareServices } from '@carte/compare/run';
import { findSet, loadSets } from './rest.ts';
import { table, terminal } from './terminal.ts';

export interface CompareOptions {
  readonly old: string;
  readonly new: string;
  readonly oldKey?: string;
  readonly newKey?: string;
  readonly merchants: number;
  readonly stores: number;
  readonly store?: readonly string[];
  readonly orders: number;
  readonly from?: Date;
  readonly to?: Date;
  readonly ids?: boolean;
  readonly order?: boolean;
  readonly set?: readonly string[];
  readonly ignore?: readonly string[];
  readonly examples: number;
  readonly concurrency: number;
  readonly timeout: number;
  readonly json?: boolean;
}

/** Compares two services and prints their differences. */
export async function compare(options: CompareOptions): Promise<void> {
  const sets = await loadSets();
  const contracts = [...new Set(['v1', ...(options.set ?? [])])].map(name => findSet(sets, name));
  const routes = readRoutes(contracts, { ids: options.ids ?? false, order: options.order ?? false });
  const findings = new Findings(
    routes.map(({ name }) => name),
    options.ignore ?? [],
  );
  const timeoutMs = options.timeout * 1000;
  let complete = false;
  try {
    await compareServices({
      old: createClient(readService('old', options.old, options.oldKey), { timeoutMs }),
      new: createClient(readService('new', options.new, options.newKey), { timeoutMs }),
      routes,
      findings,
      limits: { Merchant: options.merchants, Store: options.stores, Order: options.orders },
      stores: options.store ?? [],
      startTime: options.from,
      endTime: options.to,
      concurrency: options.concurrency,
      onProgress: () => terminal.progress(summary(findings)),
    });
    complete = true;
  } finally {
    // Prints the findings so far if a service fails in the middle.
    if (findings.compared > 0) printReport(findings, complete, options);
  }
  if (findings.compared === 0) throw new ComparisonError('There is nothing to compare within the given limits.');
  if (findings.size > 0) throw new OperatorError(`The services differ: ${summary(findings)}.`);
  terminal.err(`The services agree: ${summary(findings)}.`);
}

function printReport(findings: Findings, complete: boolean, { json = false, examples }: CompareOptions): void {
  const [differences, routes] = [findings.list(), findings.routes()];
  if (json) {
    terminal.out(JSON.stringify({ complete: complete && !findings.full, routes, differences }, null, 2));
    return;
  }
  if (differences.length > 0) terminal.out(`${formatFindings(differences, examples)}\n`);
  terminal.out(table(routeRows(routes)));
  for (const cut of formatCuts(routes)) terminal.err(cut);
  if (findings.full) terminal.err('The comparison ended early: there are too many differences to store.');
}

function summary({ compared, size }: Findings): string {
  return `${counted(compared, 'response')} compared, ${counted(size, 'difference')}`;
}

function readService(name: Service['name'], address: string, key: string | undefined): Service {
  // Validated here, without the value in the message: it may contain a secret, which fetch's own error would print.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new ComparisonError(`The key of the ${name} service contains a character that is not allowed in a header.`);
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ComparisonError(
      `The URL of the ${name} service must be http or https, without credentials, query and fragment.`,
    );
  }
  return { name, url: url.href.replace(/\/+$/, ''), key };
}
