import type { Command } from 'commander';
import { eventKinds, eventType } from '../events/kinds.ts';
import { examples, parseDate, parseInteger, parseList } from './terminal.ts';
import type { CreateOptions } from './webhook-actions.ts';

const exampleId = 'webhook_5f2c91d07ab3';
const types = eventKinds.map(eventType).join(', ');

/** Its actions are imported when they run: loading the ORM would slow down --help. */
const actions = () => import('./webhook-actions.ts');

export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('send events to other systems: create, list, test and change webhooks')
    .addHelpText('after', examples('carte webhook list'));
  webhook
    .command('create')
    .description('create a webhook and print its secret, alone on standard output; it cannot be shown again')
    .requiredOption('--url <url>', 'where messages are posted to')
    .option('--merchant <id>', 'send events of all stores of this merchant')
    .option('--store <id>', 'send events of this store')
    .option('--events <types>', `what to send, separated by commas: ${types}`, parseList(eventKinds, eventType))
    .option('--operation <name>', 'the operation with @webhook that is the message; by default, of all its events')
    .addHelpText(
      'after',
      examples(
        'carte webhook create --url https://pos.example/webhooks --store lisbon-baixa --events order.placed,order.changed',
        'CARTE_OPERATIONS=operations/shop carte webhook create --url https://pos.example/orders --store lisbon-baixa --operation notifyOrder',
      ),
    )
    .action(async (options: CreateOptions) => (await actions()).create(options));
  webhook
    .command('list')
    .description('list webhooks with their state, without their secrets')
    .addHelpText('after', examples('carte webhook list'))
    .action(async () => (await actions()).list());
  const changes = [
    ['rotate', 'replace the secret of a webhook and print the new one; the old one is used beside it for 24 hours'],
    ['pause', 'stop deliveries; events wait until `resume`, as long as the log keeps them'],
    ['resume', 'deliver the events that wait, in order; retry at once what fails'],
    ['remove', 'end a webhook for good'],
    ['test', 'send a message of the type webhook.test and print the outcome'],
  ] as const;
  for (const [name, description] of changes) {
    webhook
      .command(`${name} <id>`)
      .description(description)
      .addHelpText('after', examples(`carte webhook ${name} ${exampleId}`))
      .action(async (id: string) => (await actions())[name](id));
  }
  webhook
    .command('deliveries <id>')
    .description('list the events that were sent in the last days, newest first')
    .option('--limit <number>', 'how many to list', parseInteger(1), 20)
    .addHelpText('after', examples(`carte webhook deliveries ${exampleId} --limit 100`))
    .action(async (id: string, { limit }: { readonly limit: number }) => (await actions()).deliveries(id, limit));
  webhook
    .command('redeliver <id> [message]')
    .description(
      'send the message of an event again, by its webhook-id, and print the outcome; or all events since a time',
    )
    .option('--since <date>', 'deliver all events since this date or date-time again, in order', parseDate)
    .addHelpText(
      'after',
      examples(
        `carte webhook redeliver ${exampleId} msg_1772388000000000`,
        `carte webhook redeliver ${exampleId} --since 2027-01-31T18:00:00Z`,
      ),
    )
    .action(async (id: string, message: string | undefined, { since }: { readonly since?: Date }) =>
      (await actions()).redeliver(id, message, since),
    );
}
