import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MerchantEntity } from '../../src/merchant/entities.ts';
import { OrderEntity } from '../../src/order/entities.ts';
import { StoreEntity } from '../../src/store/entities.ts';
import { createData, operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { run, temporaryFolder } from './support.ts';

const orm = await createDatabase();
const data = createData(orm);
const env = { DATABASE_URL: urlOf(orm) };

const lines = (...documents: readonly object[]) => documents.map(document => `${JSON.stringify(document)}\n`).join('');

const merchant = (id: string, brand = 'Casa Verde') => ({
  created_at: '2026-01-01T00:00:00.000Z',
  id,
  brand_name: brand,
  business_type: { name: 'RESTAURANT' },
});

const order = (id: string, storeId: string, given: object = {}) => ({
  created_at: '2026-03-01T12:00:00+01:00',
  id,
  store: { id: storeId, name: { translations: { en: 'ignored' } } },
  customer: { name: 'Ana', phone: '+351 912' },
  status: 'READY',
  price: 1200,
  tax: 100,
  items: [{ note: null, nested: { list: [1, null, 'x'] } }],
  ready_by: '2026-03-01T13:00:00Z',
  is_read: true,
  in_pos: false,
  ...given,
});

describe('carte import', () => {
  test('reads merchants, stores and orders in the shapes of the interface', async () => {
    expect(await run(['import', 'merchants', '-'], env, lines(merchant('m1')))).toMatchObject({ code: 0, stdout: '' });
    const store = {
      id: 's1',
      name: { translations: { pt: 'Baixa', en: 'Downtown' } },
      created_at: '2026-01-02T00:00:00Z',
      address_line_1: 'Rua Augusta 1',
      phone_numbers: [{ id: 'p', phone_number: '+351', create_date_time: '2026-01-02T00:00:00Z' }],
      merchant: { id: 'm1' },
      store_type: { content: 'cafe', business_type: { name: 'RESTAURANT' } },
      unknown_field: 'dropped',
    };
    expect(await run(['import', 'stores', '-'], env, lines(store))).toMatchObject({ code: 0 });
    expect(await run(['import', 'orders', '-'], env, lines(order('o1', 's1')))).toMatchObject({ code: 0 });

    const em = operatorFork(orm);
    expect(await em.findOneOrFail(MerchantEntity, 'm1')).toMatchObject({ businessType: { name: 'RESTAURANT' } });
    const stored = await em.findOneOrFail(StoreEntity, 's1');
    expect(stored).toMatchObject({
      merchant: 'm1',
      addressLine1: 'Rua Augusta 1',
      storeType: { content: 'cafe', businessType: { name: 'RESTAURANT' } },
    });
    expect(JSON.stringify(stored.name)).toBe('{"translations":{"pt":"Baixa","en":"Downtown"}}');
    expect(await em.findOneOrFail(OrderEntity, 'o1')).toMatchObject({
      createdAt: new Date('2026-03-01T11:00:00Z'),
      items: [{ note: null, nested: { list: [1, null, 'x'] } }],
    });
  });

  const serviceOf = async (id: string) => {
    const { serviceType, service, steps } = await operatorFork(orm).findOneOrFail(OrderEntity, id);
    return { serviceType, service, steps };
  };

  test('reads how an order is served and paid, and its steps; a line without them leaves them as they are', async () => {
    const { id: storeId } = await data.store();
    const step = { at: '2026-03-01T12:10:00.000Z', status: 'READY', by: 'till', reason: 'early' };
    const service = {
      table: '7',
      address: { address_line_1: 'Rua Augusta 1', note: 'ring twice' },
      payments: [{ method: 'card', amount: 1300, state: 'PAID' }],
      charges: [{ name: 'Delivery', amount: 300, tax: null }],
      discounts: [{ name: 'Welcome', amount: 1500, tax: 0 }],
      tip: 0,
    };
    const served = order('served', storeId, { service_type: 'DELIVERY', ...service, steps: [step] });
    expect(await run(['import', 'orders', '-'], env, lines(served, order('plain', storeId)))).toMatchObject({
      code: 0,
    });
    const stored = {
      serviceType: 'DELIVERY',
      service: {
        ...service,
        address: { addressLine1: 'Rua Augusta 1', note: 'ring twice' },
        charges: [{ name: 'Delivery', amount: 300 }],
      },
      steps: [step],
    };
    expect(await serviceOf('served')).toEqual(stored);
    expect(await serviceOf('plain')).toEqual({ serviceType: null, service: null, steps: null });
    const later = order('served', storeId, { status: 'FULFILLED' });
    expect(await run(['import', 'orders', '-'], env, lines(later))).toMatchObject({ code: 0 });
    expect(await serviceOf('served')).toEqual(stored);
    expect((await operatorFork(orm).findOneOrFail(OrderEntity, 'served')).status).toBe('FULFILLED');
  });

  test('reports amounts below zero, and a total that a discount takes there', async () => {
    const { id: storeId } = await data.store();
    const text = lines(
      order('below', storeId, { charges: [{ name: 'Bag', amount: -1 }], tip: -2, service_type: 'PIGEON' }),
      order('minus', storeId, { charges: [{ name: 'Bag', amount: -1 }], tip: -2 }),
      order('gift', storeId, { discounts: [{ name: 'Gift', amount: 1201 }] }),
      // As 0.1.0 has taken it.
      order('refund', storeId, { price: -5, tip: 1 }),
    );
    const { code, stderr } = await run(['import', 'orders', '-'], env, text);
    expect(code).toBe(1);
    expect(stderr).toContain('service_type');
    expect(stderr).toContain('line 2: charges.0.amount: -1 is too small; it must be at least 0');
    expect(stderr).toContain('line 2: tip: -2 is too small; it must be at least 0');
    expect(stderr).toContain('line 3: discounts: the total is -1; it must be at least 0');
    expect(await serviceOf('refund')).toMatchObject({ service: { tip: 1 } });
  });

  test('reads the currency of a store, which must be a code of ISO 4217', async () => {
    const store = (id: string, given: object) => ({ id, name: { en: 'Baixa' }, ...given });
    const text = lines(
      store('in euros', { country: 'CH', currency: 'EUR' }),
      store('of its country', { country: 'CH' }),
      store('misspelt', { currency: 'EURO', merchant: { id: 'nobody' } }),
      store('blank', { currency: '' }),
    );
    const { code, stderr } = await run(['import', 'stores', '-'], env, text);
    expect(code).toBe(1);
    expect(stderr).toContain('line 3: currency: "EURO" is not a currency code of ISO 4217 such as "EUR"');
    expect(stderr).toContain('line 3: merchant.id: no merchant has the id "nobody"');
    expect(stderr).toContain('line 4: currency: "" is not a currency code');
    expect(stderr).toContain('4 lines read, 2 new or changed, 2 invalid');
    const stored = await operatorFork(orm).find(StoreEntity, { country: 'CH' }, { orderBy: { id: 'asc' } });
    expect(stored.map(({ currency }) => currency)).toEqual(['EUR', null]);
  });

  test('reads the timezone of a store, which must exist', async () => {
    const store = (id: string, timezone: string | null) => ({ id, name: { en: 'Baixa' }, timezone });
    const text = lines(
      store('of a city', 'Europe/Lisbon'),
      store('of an alias', 'US/Pacific'),
      store('misspelt city', 'Europe/Lisboa'),
      store('of nowhere', 'x'.repeat(1_000)),
      store('without', null),
    );
    const { code, stderr } = await run(['import', 'stores', '-'], env, text);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'line 3: timezone: "Europe/Lisboa" is not a timezone of IANA. Did you mean "Europe/Lisbon"?\n',
    );
    expect(stderr).toMatch(/^line 4: timezone: "x{100}…" is not a timezone of IANA\.$/m);
    expect(stderr).toContain('5 lines read, 3 new or changed, 2 invalid');
  });

  test('warns once of each field that is unknown, and of none that routes return', async () => {
    const known = { name: { en: 'Baixa' }, merchant: merchant('m1') };
    const store = (id: string, given: object) => ({ id, ...known, ...given });
    const phone = { id: 'p', phone_number: '+351', create_date_time: '2026-01-02T00:00:00Z' };
    const text = lines(
      store('unknown 1', { timezon: 'Europe/Lisbon', phone_numbers: [{ ...phone, color: 'red' }] }),
      store('unknown 2', { timezon: 'Europe/Lisbon', phone_numbers: [phone, { ...phone, color: 'red' }] }),
      store('unknown 3', { timezone: 'Europe/Lisbon' }),
      // More than errors are collected of.
      store('unknown 4', {
        ...Object.fromEntries(Array.from({ length: 1_100 }, (_, nth) => [`x${nth}`, nth])),
        city: 'Faro',
      }),
    );
    const { code, stderr } = await run(['import', 'stores', '-'], env, text);
    expect(code).toBe(0);
    const warnings = stderr.split('\n').filter(line => line.startsWith('warning: ') && !line.startsWith('warning: x'));
    expect(warnings).toEqual([
      'warning: phone_numbers[].color was ignored (2 times), since stores have no such field.',
      'warning: timezon was ignored (2 times), since stores have no such field. Did you mean "timezone"?',
    ]);
    expect(stderr.match(/^warning: x/gm)).toHaveLength(98);
    expect(stderr).toContain('4 lines read, 4 new or changed, 0 invalid');
    const { city } = await operatorFork(orm).findOneOrFail(StoreEntity, 'unknown 4');
    expect(city).toBe('Faro');
  });

  test('changes nothing when it is run again', async () => {
    const text = lines(merchant('again 1'), merchant('again 2'));
    const first = await run(['import', 'merchants', '-'], env, text);
    expect(first.stderr).toContain('2 lines read, 2 new or changed, 0 invalid');
    const second = await run(['import', 'merchants', '-'], env, text);
    expect(second.stderr).toContain('2 lines read, 0 new or changed, 0 invalid');
    const third = await run(['import', 'merchants', '-'], env, lines(merchant('again 1', 'Casa Azul')));
    expect(third.stderr).toContain('1 line read, 1 new or changed, 0 invalid');
  });

  test('names invalid lines by number, in their order, and lets the good ones in', async () => {
    const store = await data.store();
    const text = `${lines(order('good', store.id))}{"id": broken\n\n${lines(
      order('lost', 'no-such-store'),
      order('bad', store.id, { status: 'EATEN', price: '12' }),
      order('last', store.id),
    )}`;
    const { code, stderr } = await run(['import', 'orders', '-'], env, text);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^line 2: .*JSON/m);
    expect(stderr.match(/^line \d+/gm)).toEqual(['line 2', 'line 4', 'line 5', 'line 5']);
    expect(stderr).toContain('line 4: store.id: no store has the id "no-such-store"');
    expect(stderr).toContain("line 5: status: Input should be 'PENDING', 'CUSTOMER_CANCELLED'");
    expect(stderr).toContain('line 5: price: Input should be a valid integer');
    expect(stderr).toContain('6 lines read, 2 new or changed, 3 invalid');
    expect(stderr).toContain('carte: The invalid lines were skipped.');
    expect(await operatorFork(orm).count(OrderEntity, { id: ['good', 'bad', 'lost', 'last'] })).toBe(2);
  });

  test('with --strict lets nothing in unless every line is good', async () => {
    const text = lines(merchant('strict 1'), { id: 'strict 2' }, merchant('strict 3'));
    const { code, stderr } = await run(['import', '--strict', 'merchants', '-'], env, text);
    expect(code).toBe(1);
    expect(stderr).toContain('line 2: brand_name: Field required');
    expect(stderr).toContain('carte: Nothing was imported, because some lines are invalid.');
    expect(await operatorFork(orm).count(MerchantEntity, { id: { $like: 'strict%' } })).toBe(0);
  });

  test('reads a file and a last line without a line break, and reports a file that cannot be read', async () => {
    const file = join(temporaryFolder(), 'merchants.ndjson');
    writeFileSync(file, `${lines(merchant('file 1'))}${JSON.stringify(merchant('file 2'))}`);
    expect(await run(['import', 'merchants', file], env)).toMatchObject({ code: 0 });
    expect(await operatorFork(orm).count(MerchantEntity, { id: { $like: 'file%' } })).toBe(2);
    const missing = await run(['import', 'merchants', '/no/such/file'], env);
    expect(missing.code).toBe(1);
    expect(missing.stderr.trim()).toMatch(/^carte: \/no\/such\/file cannot be read: .*no such file/);
  });

  test('shows percentage and time left of a file: lines in a log, one line that is overwritten on a terminal', async () => {
    const file = join(temporaryFolder(), 'merchants.ndjson');
    const text = lines(...Array.from({ length: 4000 }, (_, nth) => merchant(`progress ${1000 + nth}`)));
    writeFileSync(file, text);
    const isLine = (percent: number, read: string) =>
      expect.stringMatching(
        new RegExp(`^merchants: ${percent} %, \\d+ s left, ${read} lines read, ${read} new or changed, 0 invalid, `),
      );
    const last = expect.stringMatching(/^merchants: 4,000 lines read, 4,000 new or changed, 0 invalid, .* lines\/s$/);
    const logged = await run(['import', 'merchants', file], env);
    expect(logged.stderr.split('\n')).toEqual([
      isLine(25, '1,000'),
      isLine(50, '2,000'),
      isLine(75, '3,000'),
      last,
      '',
    ]);
    const piped = await run(['import', 'merchants', '-'], env, text);
    expect(piped.stderr).toMatch(/^merchants: 4,000 lines read, 0 new or changed, 0 invalid, .* lines\/s\n$/);

    const { isTTY, columns } = process.stderr;
    onTestFinished(() => void Object.assign(process.stderr, { isTTY, columns }));
    Object.assign(process.stderr, { isTTY: true, columns: 40 });
    const shown = await run(['import', 'merchants', file], env);
    const overwritten = shown.stderr.split('\r\x1b[K').filter(line => line !== '');
    expect(overwritten.map(line => line.length)).toEqual([39, 39, 39, expect.any(Number)]);
    expect(overwritten[0]).toMatch(/^merchants: 25 %, \d+ s left/);
    expect(overwritten.at(-1)).toMatch(/^merchants: 4,000 lines read, 0 new or changed, .*\n$/);
  });

  test('refuses bytes that are no text', async () => {
    const file = join(temporaryFolder(), 'merchants.ndjson');
    writeFileSync(file, Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]));
    const { code, stderr } = await run(['import', 'merchants', file], env);
    expect(code).toBe(1);
    expect(stderr).toContain('line 1: not UTF-8 text');
  });
});
