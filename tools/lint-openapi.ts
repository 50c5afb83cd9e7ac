/** Lints the OpenAPI documents, in both versions, with Redocly's rules; part of `npm run check`. */

import { readSets } from '@carte/operations/contract/sets';
import { downgradeDocument } from '@carte/operations/openapi/downgrade';
import { createConfig, formatProblems, getTotals, lintFromString } from '@redocly/openapi-core';
import { loadSchema } from '../src/graphql/schema.ts';
import { describeSet } from '../src/rest/openapi.ts';
import { readBuiltInSets } from '../src/rest/sets.ts';

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // The server URL is relative: the document is served by the server that it describes.
    'no-server-example.com': 'off',
    // The interface documents trailing slashes.
    'no-path-trailing-slash': 'off',
  },
});
const documents = readSets(loadSchema(), readBuiltInSets()).flatMap(set => {
  const document = describeSet(set);
  return [
    [`${set.name}.json`, document],
    [`${set.name}-3.0.json`, downgradeDocument(document)],
  ] as const;
});
for (const [name, content] of documents) {
  const source = JSON.stringify(content, null, 2);
  const problems = await lintFromString({ source, absoluteRef: name, config });
  const totals = getTotals(problems);
  formatProblems(problems, { format: 'stylish', totals, version: '1' });
  if (totals.errors > 0) process.exitCode = 1;
  else console.log(`${name} has no errors.`);
}
