import { expect, test } from 'vitest';
import { undescribed } from '../support/described.ts';

test('a response that /openapi.json does not describe is detected', () => {
  expect(undescribed('GET', '/v1/merchants/m', 200, { id: 'm' })).toContain('must have required property');
  expect(undescribed('GET', '/v1/merchants/m', 404, { detail: ['no', 'text'] })).toContain('must be string');
  expect(undescribed('GET', '/v1/merchants/m', 418, {})).toBe('418 is not described');
  const merchant = { id: 'm', created_at: '2026-01-01T00:00:00.000Z', brand_name: 'M' };
  expect(undescribed('GET', '/v1/merchants/m?x=1', 200, merchant)).toBeUndefined();
});
