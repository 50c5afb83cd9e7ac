import type { Row } from '../row.ts';
import { httpRow } from './build.ts';

const randomKey = () => `carte_${Math.random().toString(36).slice(2).padEnd(43, 'x')}`;
const randomAddress = () => Array.from({ length: 4 }, () => Math.floor(Math.random() * 255)).join('.');

/** Many small requests of nobody in particular. */
export const strangerRows: readonly Row[] = [
  httpRow({ name: 'flood of different keys', key: 'unknown', atOnce: 16, requests: 3_000 }, () => () => ({
    path: '/v1/stores/',
    headers: { 'x-api-key': randomKey() },
  })),
  httpRow(
    { name: 'flood of different keys, POST /graphql', key: 'unknown', atOnce: 16, requests: 3_000 },
    () => () => ({
      path: '/graphql',
      headers: { 'x-api-key': randomKey() },
      body: '{"query":"{ stores { totalCount } }"}',
    }),
  ),
  httpRow({ name: 'flood with forged X-Forwarded-For', atOnce: 16, requests: 3_000, isShort: true }, () => () => ({
    path: '/graphql',
    headers: { 'x-forwarded-for': randomAddress() },
    body: '{"query":"{ __schema { types { name } } }"}',
  })),
  httpRow({ name: 'flood of unknown pages', atOnce: 16, requests: 3_000 }, () => turn => ({
    path: `/v1/${turn}/${'x'.repeat(500)}`,
  })),
];
