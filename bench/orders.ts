import { migrate } from '../src/database/migrate.ts';
import { createOrm } from '../src/orm.ts';
import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import { createOrders, largeStore, smallStore } from './orders-data.ts';
import { type Arguments, createMeter, type Figures } from './orders-meter.ts';

readOptions('Measures order lists of a million orders at 200 stores, by filter.', {});

const range = { createdFrom: new Date('2026-03-01T11:00:00Z'), createdUntil: new Date('2026-09-01T17:00:00Z') };
const day = { createdFrom: new Date('2026-06-01T08:00:00Z'), createdUntil: new Date('2026-06-01T20:00:00Z') };

const cases: Readonly<Record<string, Arguments>> = {
  'no filter': {},
  'status FULFILLED': { filter: { statuses: ['FULFILLED'] } },
  'status, three': { filter: { statuses: ['PENDING', 'ACCEPTED', 'READY'] } },
  'half a year': { filter: range },
  'half a day': { filter: day },
  'name "paul"': { filter: { customerName: 'paul' } },
  'name "PAULA 3f"': { filter: { customerName: 'PAULA 3f' } },
  'name "zzzz"': { filter: { customerName: 'zzzz' } },
  'name "qu"': { filter: { customerName: 'qu' } },
  'name "zz"': { filter: { customerName: 'zz' } },
  'phone, 9 digits': { filter: { customerPhoneEndsWith: '912345678' } },
  'phone, 4 digits': { filter: { customerPhoneEndsWith: '4567' } },
  'status + half a year': { filter: { statuses: ['REJECTED'], ...range } },
  'name + status': { filter: { customerName: 'paul', statuses: ['REJECTED'] } },
  'name + half a day': { filter: { customerName: 'paul', ...day } },
  'phone + half a year': { filter: { customerPhoneEndsWith: '67', ...range } },
  'all four': { filter: { customerName: 'paul', customerPhoneEndsWith: '7', statuses: ['FULFILLED'], ...range } },
  'page 8,000': { pageIndex: 8000 },
  'page 600 of a status': { pageIndex: 600, filter: { statuses: ['REJECTED'] } },
  'page 3,000 of half a year': { pageIndex: 3000, filter: range },
  'page 2,147,483,647': { pageIndex: 2_147_483_647 },
};

const shown = (ms: number) => (Number.isNaN(ms) ? '–' : ms.toFixed(2));
const cost = ({ server, database }: Figures) => server + database;

function line(name: string, figures: readonly Figures[]): string {
  const cells = figures.flatMap(each => [
    String(each.count).padStart(7),
    shown(each.server).padStart(8),
    shown(each.database).padStart(9),
    String(each.rows).padStart(8),
  ]);
  return [name.padEnd(26), ...cells].join(' ');
}

function goal(name: string, large: Figures, small: Figures, most: number): string {
  const [whole, database] = [cost(large) / cost(small), large.database / small.database];
  return `${name}: ${whole.toFixed(2)} × the CPU in all, ${database.toFixed(2)} × in the database (goal ≤ ${most})`;
}

await runProgram(async program => {
  const { connection } = await program.startDatabase({ fsync: 'off', shared_buffers: '1GB' });
  const makers = createOrm(connection);
  // One connection, so that one backend does all the measured work.
  const orm = createOrm(connection, { poolSize: 1 });
  program.atEnd(() => Promise.all([makers.close(), orm.close()]));
  console.log('Generating 1,000,000 orders …');
  await migrate(makers);
  await createOrders(makers);
  const measure = await createMeter(orm);
  console.log(
    `CPU in ms for a page of 50 and its count: in Node.js, in PostgreSQL, and the maximum number of rows of a plan node\n`,
  );
  const columns = ['matches', '    node', ' postgres', '    rows'];
  console.log(`${' '.repeat(26)} ${smallStore.padEnd(36)}${largeStore}`);
  console.log([' '.repeat(26), ...columns, ...columns].join(' '));
  await measure(smallStore, {});
  const measured = new Map<string, readonly [Figures, Figures]>();
  for (const [name, args] of Object.entries(cases)) {
    const figures = [await measure(smallStore, args), await measure(largeStore, args)] as const;
    measured.set(name, figures);
    console.log(line(name, figures));
  }
  const [none, status, deep] = ['no filter', 'status, three', 'page 8,000'].map(name => measured.get(name));
  if (none) console.log(goal(`\nFirst page, no filter, ${largeStore} against ${smallStore}`, none[1], none[0], 2));
  if (status) console.log(goal(`First page, status, ${largeStore} against ${smallStore}`, status[1], status[0], 2));
  if (none && deep) console.log(goal(`Page 8,000 against page 0, ${largeStore}`, deep[1], none[1], 3));
});
