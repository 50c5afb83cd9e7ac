import { isAvailable, toLocalTime } from '../menu/availability.ts';

/** What orders are made from: the fields of a menu configuration's POST body that they need. */
export interface MenuBody {
  readonly items: readonly BodyItem[];
  readonly menus?: readonly BodyMenu[];
  readonly categories?: readonly BodyCategory[];
  readonly modifier_groups?: readonly BodyModifierGroup[];
  readonly modifier_items?: readonly BodyModifierItem[];
}

interface BodyText {
  readonly translations: Readonly<Record<string, string>>;
}

export interface BodyItem {
  readonly external_id: string;
  readonly name: BodyText;
  readonly price: number;
  readonly tax: number;
  readonly sell_separately: boolean;
  readonly in_stock?: boolean;
  readonly prep_time?: number;
  readonly modifier_external_ids?: readonly string[];
}

interface BodyMenu {
  readonly external_id: string;
  readonly availability: readonly {
    readonly day_of_week: string;
    readonly time_periods: readonly { readonly start_time: string; readonly end_time: string }[];
  }[];
  readonly category_external_ids?: readonly string[];
}

interface BodyCategory {
  readonly external_id: string;
  readonly item_external_ids?: readonly string[];
}

export interface BodyModifierGroup {
  readonly external_id: string;
  readonly group_min: number;
  readonly group_max: number;
  readonly charge_after: number;
  readonly modifier_item_external_ids?: readonly string[];
}

export interface BodyModifierItem {
  readonly external_id: string;
  readonly name: BodyText;
  readonly price_change: number;
  readonly tax_change: number;
  readonly default_quantity: number;
  readonly menu_item_external_id?: string;
  readonly in_stock?: boolean;
}

export interface DemoStore {
  readonly id: string;
  /** UTC when absent. */
  readonly timezone?: string | null | undefined;
  readonly menu: MenuBody;
}

/** What a guest can order at a moment: in an open menu, in stock, and sold by itself. */
export function itemsOnSale({ menu, timezone }: DemoStore, moment: Date): BodyItem[] {
  const local = toLocalTime(moment, timezone);
  const open = (menu.menus ?? []).filter(({ availability }) => isAvailable(availability.map(windowsOfDay), local));
  const categoryIds = new Set(open.flatMap(({ category_external_ids = [] }) => category_external_ids));
  const categories = (menu.categories ?? []).filter(({ external_id }) => categoryIds.has(external_id));
  const itemIds = new Set(categories.flatMap(({ item_external_ids = [] }) => item_external_ids));
  return menu.items.filter(item => itemIds.has(item.external_id) && item.sell_separately && item.in_stock !== false);
}

function windowsOfDay({ day_of_week, time_periods }: BodyMenu['availability'][number]) {
  return {
    dayOfWeek: day_of_week,
    timePeriods: time_periods.map(({ start_time, end_time }) => ({ startTime: start_time, endTime: end_time })),
  };
}
