import { type Program, runProgram } from '../../support/program.ts';

export interface Drill extends Program {
  /** What must not happen and did, each in a sentence. */
  readonly violations: string[];
}

const mostShown = 10;

/** Settings of a server whose webhooks lead to this machine. */
export const withLocalWebhooks = {
  CARTE_WEBHOOK_ALLOW_HTTP: 'on',
  CARTE_WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32',
  CARTE_LOG_LEVEL: 'error',
};

/** Runs a drill and reports its violations; the program exits with 1 if there are any. */
export async function runDrill(work: (drill: Drill) => Promise<void>): Promise<void> {
  const violations: string[] = [];
  await runProgram(program => work({ ...program, violations }));
  console.log(violations.length === 0 ? 'no violation' : `${violations.length} violations, the first of them:`);
  for (const violation of violations.slice(0, mostShown)) console.log(`- ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
