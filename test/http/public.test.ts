import { afterAll, describe, expect, test } from 'vitest';
import { houseSettings, openHouse } from '../../support/public/house.ts';
import { scenes } from '../../support/public/scenes.ts';
import { run } from '../cli/support.ts';
import { createDatabase } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { startService } from './service.ts';

const orm = await createDatabase();
const env = { DATABASE_URL: urlOf(orm) };
const { url } = await startService(orm, houseSettings, kill => afterAll(kill));
const house = await openHouse(
  {
    carte: async (...args) => (await run(args, env)).stdout.trim(),
    async importDocuments(kind, documents) {
      await run(['import', kind, '-'], env, Array.from(documents, document => JSON.stringify(document)).join('\n'));
    },
  },
  url,
  { stores: 2, unseen: scenes.length, divisor: 5 },
);
afterAll(() => house.client.close());

// The short form of drills/public.ts, which also compares times with those of a calm service.
describe('a POS, an office and other guests are served beside', () => {
  test.for(scenes)('$name', async (scene, { onTestFinished }) => {
    const seed = scene.name.length.toString(36);
    const end = await scene.begin(house, seed);
    onTestFinished(end);
    for (const request of scene.honest(house, seed)) {
      const { status, text } = await house.client.send(request);
      expect([status, text.slice(0, 300)]).toEqual([200, expect.not.stringContaining('"errors":')]);
    }
    expect(await scene.check?.(house, seed)).toEqual(scene.check && []);
  });
});
