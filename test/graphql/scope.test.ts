import {
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import { createReadAccess } from '../../src/database/access.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await startApp();
const schema = createSchema();
const depth = 6;

/** Every field of a type with every field below it. Both tenants use the same external ids, so that a leak would show. */
function selectAll(type: GraphQLObjectType, levels: number): string {
  const fields = Object.values(type.getFields()).flatMap(field => {
    const inner = getNamedType(field.type);
    const given = field.args.filter(arg => isNonNullType(arg.type) && arg.defaultValue === undefined);
    const call =
      field.name + (given.length > 0 ? `(${given.map(arg => `${arg.name}: "${externalIds[field.name]}"`)})` : '');
    if (isLeafType(inner)) return [call];
    return isObjectType(inner) && levels > 1 ? [`${call} { ${selectAll(inner, levels - 1)} }`] : [];
  });
  return fields.length > 0 ? fields.join(' ') : '__typename';
}

const externalIds: Record<string, string> = {
  menu: 'menu',
  category: 'category',
  item: 'item',
  modifierGroup: 'group',
  modifierItem: 'modifier',
};

async function makeTenant(mark: string) {
  const merchant = await app.data.merchant({ id: `${mark}-merchant`, brandName: mark });
  const store = await app.data.store({ id: `${mark}-store`, merchant: merchant.id, city: mark, contacts: { mark } });
  const sibling = await app.data.store({ id: `${mark}-sibling`, merchant: merchant.id, city: `${mark} sibling` });
  await app.data.menu(store, smallMenu(mark));
  await app.data.menu(sibling, smallMenu(`${mark} sibling`));
  await app.data.orders(store, 1, { id: `${mark}-order`, customerName: mark });
  await app.data.orders(sibling, 1, { id: `${mark}-sibling-order`, customerName: `${mark} sibling` });
}

const roots = ['mine', 'foreign'].flatMap(mark => [
  { field: `store(id: "${mark}-store")`, type: 'Store' },
  { field: `store(id: "${mark}-sibling")`, type: 'Store' },
  { field: `merchant(id: "${mark}-merchant")`, type: 'Merchant' },
  { field: `order(id: "${mark}-order")`, type: 'Order' },
  { field: `order(id: "${mark}-sibling-order")`, type: 'Order' },
]);
roots.push({ field: 'stores', type: 'Store' }, { field: 'merchants', type: 'Merchant' });

/** What every path of the graph down to the depth shows to a key. */
async function crawl(key: string): Promise<string> {
  const access = await createReadAccess(app.orm);
  const { scope } = await createAuthenticator(access.primary, { seconds: 0 })(key);
  const shown: string[] = [];
  for (const { field, type } of roots) {
    const document = parse(`{ ${field} { ${selectAll(schema.getType(type) as GraphQLObjectType, depth - 1)} } }`);
    const result = (await execute({
      schema,
      document,
      contextValue: createContext({ orm: app.orm, repositories: createRepositories(access) }, scope),
    })) as ExecutionResult;
    expect(result.errors).toBeUndefined();
    shown.push(JSON.stringify(result.data));
  }
  return shown.join('\n');
}

beforeAll(async () => {
  await makeTenant('mine');
  await makeTenant('foreign');
});

describe(`every path of the graph to depth ${depth}`, () => {
  test('shows a key of one merchant nothing of another', async () => {
    const shown = await crawl(await app.newKey({ merchantIds: ['mine-merchant'] }));
    expect(shown).toContain('mine sibling');
    expect(shown).not.toContain('foreign');
  });

  test('shows a key of one store nothing of its siblings', async () => {
    const shown = await crawl(await app.newKey({ storeIds: ['mine-store'] }));
    expect(shown).toContain('mine-order');
    expect(shown).toContain('mine-merchant');
    expect(shown).not.toContain('sibling');
    expect(shown).not.toContain('foreign');
  });

  test('shows a key whose grants are gone nothing at all', async () => {
    const key = await app.newKey({ merchantIds: ['mine-merchant'] });
    await app.orm.em.fork().execute('delete from api_key_grant where merchant_id = ?', ['mine-merchant']);
    const shown = await crawl(key);
    expect(shown).not.toContain('mine');
    expect(shown).not.toContain('foreign');
  });

  test('shows a key of all of it everything', async () => {
    const shown = await crawl(await app.newKey());
    expect(shown).toContain('foreign sibling');
    expect(shown).toContain('mine sibling');
  });
});

test('an absent store and a foreign one look the same', async () => {
  const key = await app.newKey({ merchantIds: ['mine-merchant'] });
  const ask = (id: string) => app.graphql('query ($id: ID!) { store(id: $id) { id } }', { id }, { 'x-api-key': key });
  const [absent, foreign] = [await ask('no-such-store'), await ask('foreign-store')];
  expect(foreign.body).toEqual({ data: { store: null } });
  expect(foreign.body).toEqual(absent.body);
});
