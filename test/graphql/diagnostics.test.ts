import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await sharedApp();

const fields = 'code severity path externalId message';

/** Returns a menu with one diagnostic of each severity. */
function menuWithDiagnostics() {
  const menu = smallMenu('Soup');
  const items = menu.items.map(item => ({ ...item, dietaryLabels: ['VEGAN'] as const }));
  const modifierItems = (menu.modifierItems ?? []).map(item => ({ ...item, itemExternalId: null, taxChange: 101 }));
  const modifierGroups = (menu.modifierGroups ?? []).map(group => ({ ...group, groupMin: 3 }));
  return { ...menu, items, modifierGroups, modifierItems };
}

const error = {
  code: 'GROUP_MAX_BELOW_MIN',
  severity: 'ERROR',
  path: ['modifierGroups', '0', 'groupMax'],
  externalId: 'group',
  message: 'Modifier group "Soup" asks for at least 3 and at most 2 selections, which is impossible.',
};

describe('menuDiagnostics of the store in the payload of replaceMenuConfiguration', () => {
  const mutation = `mutation ($input: ReplaceMenuConfigurationInput!) {
    replaceMenuConfiguration(input: $input) { store { menuRevision menuDiagnostics { ${fields} } } }
  }`;

  test('are those of the new configuration', async () => {
    const store = await app.data.store();
    const { body } = await app.graphql(mutation, { input: { storeId: store.id, ...menuWithDiagnostics() } });
    expect(body.errors).toBeUndefined();
    const { menuRevision, menuDiagnostics } = body.data.replaceMenuConfiguration.store;
    expect(menuRevision).toBeGreaterThan(0);
    expect(menuDiagnostics[0]).toEqual(error);
    const [taxChange, labels] = [
      ['modifierItems', '0', 'taxChange'],
      ['items', '0', 'dietaryLabels'],
    ];
    expect(menuDiagnostics).toMatchObject([
      error,
      { code: 'TAX_ABOVE_PRICE', severity: 'WARNING', path: taxChange, externalId: 'modifier' },
      { code: 'VEGAN_NOT_VEGETARIAN', severity: 'INFO', path: labels, externalId: 'item' },
    ]);
  });

  test('are those of each of several replacements in one request', async () => {
    const { id: storeId } = await app.data.store();
    const { body } = await app.graphql(
      `mutation ($first: ReplaceMenuConfigurationInput!, $second: ReplaceMenuConfigurationInput!) {
        first: replaceMenuConfiguration(input: $first) { store { menuDiagnostics { code } } }
        second: replaceMenuConfiguration(input: $second) { store { menuDiagnostics { code } } }
      }`,
      { first: { storeId, items: [] }, second: { storeId, ...smallMenu(), menus: [] } },
    );
    expect(body.data.first.store.menuDiagnostics).toEqual([]);
    expect(body.data.second.store.menuDiagnostics).toContainEqual({ code: 'NO_MENU' });
  });
});

describe('Store.menuDiagnostics', () => {
  const query = `query ($id: ID!, $severity: [DiagnosticSeverity!]) {
    store(id: $id) { menuDiagnostics(severities: $severity) { ${fields} } }
  }`;

  test('returns the diagnostics of the stored configuration, with an external id if there is one', async () => {
    const store = await app.data.store();
    await app.data.menu(store, { ...menuWithDiagnostics(), menus: [] });
    const { body } = await app.graphql(query, { id: store.id, severity: ['ERROR'] });
    expect(body.data.store.menuDiagnostics).toEqual([
      expect.objectContaining({ code: 'NO_MENU', path: ['menus'], externalId: null }),
      error,
    ]);
  });

  test('filters by severity', async () => {
    const store = await app.data.store();
    await app.data.menu(store, menuWithDiagnostics());
    const severities = async (severity: readonly string[] | null) => {
      const { body } = await app.graphql(query, { id: store.id, severity });
      return body.data.store.menuDiagnostics.map((diagnostic: { severity: string }) => diagnostic.severity);
    };
    expect(await severities(null)).toEqual(['ERROR', 'WARNING', 'INFO']);
    expect(await severities(['INFO', 'ERROR'])).toEqual(['ERROR', 'INFO']);
    expect(await severities([])).toEqual([]);
  });

  test('is empty before the first configuration', async () => {
    const store = await app.data.store();
    const { body } = await app.graphql(query, { id: store.id });
    expect(body.data.store.menuDiagnostics).toEqual([]);
  });
});
