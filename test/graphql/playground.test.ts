import { describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { examples, moments } from '../../src/graphql/playground/examples.ts';
import { renderPlayground } from '../../src/graphql/playground.ts';
import { startApp } from '../support/app.ts';

const app = await startApp();
await loadDemo(app.orm);

describe('the examples of the playground', () => {
  test.each(examples.map(example => [/(?:query|mutation) (\w+)/.exec(example.query)?.[1], example] as const))(
    '%s works on the demo',
    async (name, { query, variables }) => {
      const text = JSON.stringify(variables)
        .replaceAll(moments.now, new Date().toISOString())
        .replaceAll(moments.startOfToday, '2000-01-01T00:00:00.000Z');
      const { status, body } = await app.graphql(query, JSON.parse(text));
      expect(status).toBe(200);
      if (name === 'ReplaceMenus') expect(body.errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
      else expect([body.errors, Object.values(body.data).includes(null)]).toEqual([undefined, false]);
    },
  );
});

test('the page holds the examples, each moment made when it is opened', async () => {
  const page = await renderPlayground();
  for (const { query } of examples) expect(page).toContain(JSON.stringify(query));
  for (const moment of Object.values(moments)) {
    expect(page).not.toContain(`\\"${moment}\\"`);
    expect(page).toContain(`" + ${moment} + "`);
  }
});
