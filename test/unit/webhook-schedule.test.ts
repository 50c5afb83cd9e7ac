import { expect, test } from 'vitest';
import { retryDelaySeconds } from '../../src/webhooks/deliver.ts';

const delays = (random: number) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 50].map(attempts => retryDelaySeconds(attempts, null, () => random));

test('attempts to deliver a message are farther and farther apart, up to an hour', () => {
  expect(delays(0.5)).toEqual([5, 15, 45, 135, 405, 1215, 3600, 3600, 3600]);
});

test('each delay is up to a fifth shorter or longer', () => {
  expect(delays(0).map(Math.round).slice(0, 3)).toEqual([4, 12, 36]);
  expect(delays(1).map(Math.round).slice(0, 3)).toEqual([6, 18, 54]);
});

test('a later time that the endpoint asks for is respected, up to an hour', () => {
  const after = (seconds: number) => retryDelaySeconds(2, seconds, () => 0.5);
  expect([after(0), after(10), after(120), after(86_400)]).toEqual([15, 15, 120, 3600]);
});
