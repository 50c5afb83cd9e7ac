import { expect, test } from 'vitest';
import { planFor } from '../../tools/capacity/plan.ts';

test('the capacity plan is deterministic', () => {
  expect(planFor(50)).toEqual(planFor(50));
});

test('the cache hit rate is high while all stores fit, and falls with more stores', () => {
  const [few, many] = [planFor(10), planFor(2000)];
  expect(few.cacheHits).toBeGreaterThan(0.95);
  expect(many.cacheHits).toBeLessThan(few.cacheHits);
  expect(many.cores).toBeGreaterThan(few.cores * 100);
});
