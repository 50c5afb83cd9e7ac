import type {
  MenuItemInput,
  ModifierGroupInput,
  ModifierItemInput,
  OrderLineInput,
  OrderModifierInput,
  QuoteOrderInput,
} from '../../src/generated/graph.ts';
import type { ConfigurationInput } from '../../src/menu/kinds.ts';

// The rules of docs/placing-orders.md, written a second time without the code of the service: the slow way, unit by unit.

const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** What an order costs by a menu in which everything that it orders is. */
export function expectedAmounts(
  menu: ConfigurationInput,
  { lines, charges, discounts, tip }: Omit<QuoteOrderInput, 'storeId'>,
) {
  let [price, tax] = [0, 0];
  for (const line of lines) {
    const item = find(menu.items, line.itemExternalId);
    const chosen = new Map<string, number>();
    let [unitPrice, unitTax] = [item?.price ?? 0, item?.tax ?? 0];
    for (const { modifierGroupExternalId, modifierItemExternalId, quantity } of line.modifiers ?? []) {
      const modifierItem = find(menu.modifierItems, modifierItemExternalId);
      for (let unit = 0; unit < (quantity ?? 1); unit++) {
        const before = chosen.get(modifierGroupExternalId) ?? 0;
        chosen.set(modifierGroupExternalId, before + 1);
        if (before < (find(menu.modifierGroups, modifierGroupExternalId)?.chargeAfter ?? 0)) continue;
        unitPrice += modifierItem?.priceChange ?? 0;
        unitTax += modifierItem?.taxChange ?? 0;
      }
    }
    price += (line.quantity ?? 1) * unitPrice;
    tax += (line.quantity ?? 1) * unitTax;
  }
  let total = price + (tip ?? 0);
  for (const { amount } of charges ?? []) total += amount;
  for (const { amount } of discounts ?? []) total -= amount;
  return { price, tax, total };
}

/** Why an order is refused: `path code` of each reason, sorted. */
export function expectedProblems(menu: ConfigurationInput, input: QuoteOrderInput, readyBy: Date): string[] {
  const problems = input.lines.flatMap((line, index) => lineProblems(menu, line, readyBy).map(at(`lines.${index}`)));
  // Whether the total is below zero is known if everything that is ordered is.
  const isFound = !problems.some(problem => /reference/.test(problem));
  for (const [name, list] of Object.entries({ charges: input.charges, discounts: input.discounts })) {
    (list ?? []).forEach(({ amount, tax }, index) => {
      problems.push(...outside(amount, 0).map(at(`${name}.${index}.amount`)));
      problems.push(...outside(tax ?? 0, 0).map(at(`${name}.${index}.tax`)));
    });
  }
  problems.push(...outside(input.tip ?? 0, 0).map(at('tip')));
  if (isFound && input.discounts?.length && expectedAmounts(menu, input).total < 0)
    problems.push('discounts value_error');
  return problems.map(problem => `input.${problem}`).sort();
}

const at = (path: string) => (problem: string) => (problem.startsWith(' ') ? path + problem : `${path}.${problem}`);

function lineProblems(menu: ConfigurationInput, line: OrderLineInput, readyBy: Date): string[] {
  const quantity = line.quantity ?? 1;
  const problems = outside(quantity, 1, 1000).map(at('quantity'));
  (line.modifiers ?? []).forEach((modifier, index) => {
    problems.push(...outside(modifier.quantity ?? 1, 1).map(at(`modifiers.${index}.quantity`)));
  });
  const item = find(menu.items, line.itemExternalId);
  if (!item) return [...problems, 'itemExternalId reference_not_found'];
  if (item.inStock === false) problems.push('itemExternalId sold_out');
  if (!item.sellSeparately) problems.push('itemExternalId not_sold_separately');
  if (!isAvailable(menu, item, readyBy)) problems.push('itemExternalId not_available');
  const ofModifiers = modifierProblems(menu, item, line.modifiers ?? []).map(at('modifiers'));
  if (ofModifiers.length > 0) return [...problems, ...ofModifiers];
  const unit = expectedAmounts(menu, { lines: [{ ...line, quantity: 1 }] });
  return [...problems, ...[unit.price, unit.tax].filter(amount => amount < 0).map(() => ' value_error')];
}

function modifierProblems(
  menu: ConfigurationInput,
  item: MenuItemInput,
  modifiers: readonly OrderModifierInput[],
): string[] {
  const problems: string[] = [];
  const groups = (item.modifierGroupExternalIds ?? []).map(id => find(menu.modifierGroups, id));
  const uncounted = new Set<string>();
  modifiers.forEach(({ modifierGroupExternalId, modifierItemExternalId }, index) => {
    const group = groups.find(candidate => candidate?.externalId === modifierGroupExternalId);
    const isOffered = group?.modifierItemExternalIds?.includes(modifierItemExternalId);
    const isRepeated = modifiers
      .slice(0, index)
      .some(
        other =>
          other.modifierGroupExternalId === modifierGroupExternalId &&
          other.modifierItemExternalId === modifierItemExternalId,
      );
    if (!group) problems.push(`${index}.modifierGroupExternalId reference_not_found`);
    else if (!isOffered) problems.push(`${index}.modifierItemExternalId reference_not_found`);
    else if (isSoldOut(menu, modifierItemExternalId)) problems.push(`${index}.modifierItemExternalId sold_out`);
    if (group && isOffered && isRepeated) problems.push(`${index}.modifierItemExternalId duplicate_reference`);
    if (!group || !isOffered || isRepeated) uncounted.add(modifierGroupExternalId);
  });
  for (const group of groups) {
    if (group && !uncounted.has(group.externalId)) problems.push(...groupProblems(menu, group, modifiers));
  }
  return problems;
}

function groupProblems(
  menu: ConfigurationInput,
  group: ModifierGroupInput,
  modifiers: readonly OrderModifierInput[],
): string[] {
  const quantityOf = (id: string) => {
    const index = modifiers.findIndex(
      modifier => modifier.modifierGroupExternalId === group.externalId && modifier.modifierItemExternalId === id,
    );
    return { index, quantity: index === -1 ? 0 : (modifiers[index]?.quantity ?? 1) };
  };
  const ids = group.modifierItemExternalIds ?? [];
  const total = ids.reduce((sum, id) => sum + quantityOf(id).quantity, 0);
  const isChosen = ids.some(id => quantityOf(id).index !== -1);
  // A group of which nothing is chosen, and nothing must be, is left alone, even if its maximum is below zero.
  const isRequired = group.groupMin > 0 || ids.some(id => (find(menu.modifierItems, id)?.minQuantity ?? 0) > 0);
  if (!isChosen && !isRequired) return [];
  return [
    ...outside(total, group.groupMin, group.groupMax),
    ...ids.flatMap(id => {
      const { index, quantity } = quantityOf(id);
      const { minQuantity = 0, maxQuantity = 0 } = find(menu.modifierItems, id) ?? {};
      if (index === -1) return minQuantity > 0 ? outside(0, minQuantity, maxQuantity) : [];
      return outside(quantity, minQuantity, maxQuantity).map(at(`${index}.quantity`));
    }),
  ];
}

const outside = (quantity: number, min: number, max = Number.POSITIVE_INFINITY): string[] => [
  ...(quantity < min ? [' greater_than_equal'] : []),
  ...(quantity > max ? [' less_than_equal'] : []),
];

function isSoldOut(menu: ConfigurationInput, id: string): boolean {
  const modifierItem: ModifierItemInput | undefined = find(menu.modifierItems, id);
  return modifierItem?.inStock === false || find(menu.items, modifierItem?.itemExternalId)?.inStock === false;
}

/** In UTC, by whole minutes. */
function isAvailable(menu: ConfigurationInput, { externalId }: MenuItemInput, time: Date): boolean {
  const categories = (menu.categories ?? []).filter(category => category.itemExternalIds?.includes(externalId));
  const menus = (menu.menus ?? []).filter(({ categoryExternalIds }) =>
    categories.some(category => categoryExternalIds?.includes(category.externalId)),
  );
  const now = time.getUTCHours() * 60 + time.getUTCMinutes();
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  return menus.some(({ availability }) =>
    availability.some(({ dayOfWeek, timePeriods }) =>
      timePeriods.some(({ startTime, endTime }) => {
        const [start, end] = [minutes(startTime), minutes(endTime)];
        const isToday = days[time.getUTCDay()] === dayOfWeek;
        const isYesterday = days[(time.getUTCDay() + 6) % 7] === dayOfWeek;
        if (end > start) return isToday && now >= start && now < end;
        return (isToday && now >= start) || (isYesterday && now < end);
      }),
    ),
  );
}

const find = <T extends { readonly externalId: string }>(list: readonly T[] | null | undefined, id?: string | null) =>
  list?.find(({ externalId }) => externalId === id);
