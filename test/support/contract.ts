import { readContract } from '@carte/operations/contract/contract';
import { createSet } from '@carte/operations/contract/folders';
import { unlimited } from '@carte/operations/contract/sources';
import { buildSchema } from 'graphql';
import { expect } from 'vitest';
import { isReserved } from '../../src/rest/sets.ts';

const graph = buildSchema(`
  scalar SafeInt
  scalar Colour
  interface Named { name: String! }
  type Shop implements Named {
    id: ID!
    name: String!
    nickName: String
    owner: Owner
    revision: SafeInt!
    label: String!
    shops: [Shop!]!
    sign: Named
  }
  type Owner { name: String! revision: SafeInt! }
  input Paint { coat: Int! }
  input ShopInput { name: String! coat: Paint }
  type Query {
    shop(id: ID, colour: Colour, paint: Paint, at: SafeInt, page: Int): Shop
    shops: [Shop!]!
  }
  type Mutation { paint(id: ID!, input: ShopInput, at: SafeInt): Shop }
  type Subscription { shop: Shop }
`);

/** The errors of a contract, one a line; none when it is good. */
export function errorsOf(text: string, more: Readonly<Record<string, string>> = {}, isBuiltIn = true): string[] {
  const files = Object.entries({ 'shops.graphql': text, ...more }).map(([path, body]) => ({ path, text: body }));
  try {
    readContract(graph, { ...createSet('shops', files), isBuiltIn }, { ...unlimited, isReserved });
    return [];
  } catch (error) {
    const [title, ...errors] = String(error).split('\n');
    expect(title).toBe('Error: The REST contract has errors:');
    return errors.map(error => error.trim());
  }
}
