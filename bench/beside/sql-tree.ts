interface Row {
  readonly external_id: string;
  readonly [column: string]: unknown;
}

/** Result of the statement `tree`; a list without rows is null. */
export interface Lists {
  readonly menus: readonly (Row & { readonly category_external_ids: readonly string[] })[] | null;
  readonly categories: readonly (Row & { readonly item_external_ids: readonly string[] })[] | null;
  readonly items: readonly (Row & { readonly modifier_external_ids: readonly string[] })[] | null;
  readonly modifier_groups: readonly (Row & { readonly modifier_item_external_ids: readonly string[] })[] | null;
  readonly modifier_items: readonly Row[] | null;
}

/** Assembles the tree from the five lists. */
export function treeOf(lists: Lists): unknown {
  const modifiers = byExternalId(lists.modifier_items, row => row);
  const groups = byExternalId(lists.modifier_groups, ({ modifier_item_external_ids, ...group }) => ({
    ...group,
    modifier_items: pick(modifiers, modifier_item_external_ids),
  }));
  const items = byExternalId(lists.items, ({ modifier_external_ids, ...item }) => ({
    ...item,
    modifier_groups: pick(groups, modifier_external_ids),
  }));
  const categories = byExternalId(lists.categories, ({ item_external_ids, ...category }) => ({
    ...category,
    items: pick(items, item_external_ids),
  }));
  const menus = (lists.menus ?? []).map(({ category_external_ids, ...menu }) => ({
    ...menu,
    categories: pick(categories, category_external_ids),
  }));
  return { menu_configuration: menus };
}

function byExternalId<R extends Row>(rows: readonly R[] | null, build: (row: R) => unknown): Map<string, unknown> {
  return new Map((rows ?? []).map(row => [row.external_id, build(row)]));
}

const pick = (known: ReadonlyMap<string, unknown>, ids: readonly string[]) => ids.map(id => known.get(id));
