import { json, type MakeProbe, postGraphql } from './probe.ts';

const envelopes = [
  '',
  'null',
  '[]',
  '{}',
  '1',
  '"query"',
  '[{"query":"{ stores { id } }"},{"query":"{ stores { id } }"}]',
  '{"query":1}',
  '{"query":null}',
  '{"query":["{ stores { id } }"]}',
  '{"query":{}}',
  '{"query":""}',
  '{"query":" "}',
  '{"query":"#"}',
  '{"query":"{ stores { id } }","variables":"x"}',
  '{"query":"{ stores { id } }","variables":[]}',
  '{"query":"{ stores { id } }","variables":5}',
  '{"query":"{ stores { id } }","extensions":"x"}',
  '{"query":"{ stores { id } }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
  '{"query":"{ stores { id } }","extensions":{"persistedQuery":7}}',
  '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"0"}}}',
  '{"query":"query A { stores { id } } query B { stores { id } }"}',
  '{"query":"query A { stores { id } }","operationName":"B"}',
  '{"query":"query A { stores { id } }","operationName":7}',
  '{"query":"query A { stores { id } }","operationName":"__proto__"}',
  '{"query":"query A { stores { id } } query A { stores { id } }","operationName":"A"}',
  '{"query":"{ stores { id } }","__proto__":{"x":1},"constructor":{"prototype":{}}}',
  '{"query":"{ stores { id } }"',
  '{"query":"{ __typename @defer }"}',
  '{"query":"subscription { stores { id } }"}',
];

export const envelopeProbe: MakeProbe = (random, target) => {
  const body = random.chance(0.9) ? random.pick(envelopes) : '['.repeat(random.pick([100, 10_000, 1_000_000]));
  const types = [
    'text/plain',
    'application/graphql',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'multipart/form-data; boundary=x',
    'x',
    '',
  ];
  const headers = random.chance(0.8) ? json : { 'content-type': random.pick(types) };
  const encoded = random.chance(0.05) ? { 'content-encoding': random.pick(['gzip', 'br']) } : {};
  const accept = random.chance(0.3)
    ? { accept: random.pick(['text/html', 'image/png', '*/*', 'application/graphql-response+json', 'x']) }
    : {};
  return postGraphql(target, 'hostile envelope', body, { ...headers, ...encoded, ...accept });
};
