import { json, type MakeProbe, postGraphql } from './probe.ts';

const envelopes = [
  '',
  'null',
  '[]',
  '{}',
  '1',
  '"query"',
  '[{"query":"{ stores { nodes { id } } }"},{"query":"{ stores { nodes { id } } }"}]',
  '{"query":1}',
  '{"query":null}',
  '{"query":["{ stores { nodes { id } } }"]}',
  '{"query":{}}',
  '{"query":""}',
  '{"query":" "}',
  '{"query":"#"}',
  '{"query":"{ stores { nodes { id } } }","variables":"x"}',
  '{"query":"{ stores { nodes { id } } }","variables":[]}',
  '{"query":"{ stores { nodes { id } } }","variables":5}',
  '{"query":"{ stores { nodes { id } } }","extensions":"x"}',
  '{"query":"{ stores { nodes { id } } }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
  '{"query":"{ stores { nodes { id } } }","extensions":{"persistedQuery":7}}',
  '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"0"}}}',
  '{"query":"query A { stores { nodes { id } } } query B { stores { nodes { id } } }"}',
  '{"query":"query A { stores { nodes { id } } }","operationName":"B"}',
  '{"query":"query A { stores { nodes { id } } }","operationName":7}',
  '{"query":"query A { stores { nodes { id } } }","operationName":"__proto__"}',
  '{"query":"query A { stores { nodes { id } } } query A { stores { nodes { id } } }","operationName":"A"}',
  '{"query":"{ stores { nodes { id } } }","__proto__":{"x":1},"constructor":{"prototype":{}}}',
  '{"query":"{ stores { nodes { id } } }"',
  '{"query":"{ __typename @defer }"}',
  '{"query":"subscription { stores { nodes { id } } }"}',
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
