import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();
const at = (time: string) => new Date(time);

describe('skip, limit', async () => {
  const merchant = await app.data.merchant({ createdAt: at('2020-01-01T00:00:00Z') });
  const storeOf = (day: number) =>
    app.data.store({ merchant: merchant.id, createdAt: at(`2020-01-0${day}T00:00:00Z`) });
  const stores = [await storeOf(3), await storeOf(1), await storeOf(2)] as const;
  const headers = { 'x-api-key': await app.newKey({ merchantIds: [merchant.id] }) };
  const idsOf = async (query: string) =>
    (await app.get(`/v1/stores/${query}`, headers)).body.map(({ id }: { id: string }) => id);

  test('stores are sorted oldest first, then skipped and limited', async () => {
    const oldestFirst = [stores[1].id, stores[2].id, stores[0].id];
    expect(await idsOf('')).toEqual(oldestFirst);
    expect(await idsOf('?skip=1&limit=1')).toEqual([oldestFirst[1]]);
    expect(await idsOf('?skip=3')).toEqual([]);
    expect(await idsOf('?limit=0')).toEqual([]);
  });

  test.each(['stores', 'merchants'])('are 422 outside their bounds for %s', async resource => {
    const { status, body } = await app.get(`/v1/${resource}/?skip=-1&limit=1001`);
    expect(status).toBe(422);
    expect(body).toEqual({
      detail: [
        { loc: ['query', 'skip'], msg: 'Input should be greater than or equal to 0', type: 'greater_than_equal' },
        { loc: ['query', 'limit'], msg: 'Input should be less than or equal to 1000', type: 'less_than_equal' },
      ],
    });
  });
});
