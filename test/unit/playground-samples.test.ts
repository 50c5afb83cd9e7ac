import { expect, test } from 'vitest';
import { samplesOf } from '../../web/playground/samples.ts';

const parameters = [
  { name: 'id', in: 'path' },
  { name: 'status', in: 'query' },
  { name: 'limit', in: 'query' },
];

test('a read has its variables in the path and the query string', () => {
  const route = { method: 'GET', path: '/my/store/{id}', parameters };
  const { curl, fetch, Python } = samplesOf(route, { id: "a'b", status: ['A', 'B'] }, 'http://localhost');
  expect(curl).toBe("curl 'http://localhost/my/store/a'\\''b?status=A%2CB' \\\n  -H 'x-api-key: KEY'");
  expect(fetch).toContain('await fetch("http://localhost/my/store/a\'b?status=A%2CB", {');
  expect(Python).toContain('method="GET"');
});

test('a write has the others in its body, or in headers', () => {
  const route = {
    method: 'POST',
    path: '/my/order',
    parameters: [
      { name: 'lines', in: 'body' },
      { name: 'key', in: 'header', header: 'Idempotency-Key' },
    ],
  };
  const { curl = '' } = samplesOf(route, { lines: [{ quantity: 1 }], key: 'k' }, 'http://localhost');
  expect(curl).toContain("curl -X POST 'http://localhost/my/order'");
  expect(curl).toContain("-H 'Idempotency-Key: k'");
  expect(curl).toContain('"lines": [');
});
