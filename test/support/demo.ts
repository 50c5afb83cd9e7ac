import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { BodyItem, BodyModifierItem, MenuBody } from '../../src/demo/menu.ts';

interface Item extends BodyItem {
  readonly description?: object;
  readonly ingredients?: string;
  readonly allergens?: string;
  readonly dietary_labels?: readonly string[];
  readonly alcohol_by_volume?: number;
}

interface ModifierItem extends BodyModifierItem {
  readonly min_quantity: number;
  readonly max_quantity: number;
}

interface Body extends Required<MenuBody> {
  readonly items: readonly Item[];
  readonly modifier_items: readonly ModifierItem[];
}

interface Store {
  readonly id: string;
  readonly name: { readonly translations: Readonly<Record<string, string>> };
  readonly timezone: string;
  readonly merchant: { readonly id: string };
}

const folder = new URL('../../demo/', import.meta.url);

/** The documents of a file in the demo's folder, one to a line. */
export function demoDocuments(file: string) {
  return read(file)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

/** The demo's stores, each with the body of its menu. */
export function demoStores(): (Store & { readonly menu: Body })[] {
  return demoDocuments('stores.ndjson').map(store => ({ ...store, menu: JSON.parse(read(`menus/${store.id}.json`)) }));
}

export function idsOf(list: readonly { readonly external_id: string }[]): string[] {
  return list.map(({ external_id }) => external_id);
}

export function repeated(list: readonly string[]): string[] {
  return list.filter((member, position) => list.indexOf(member) !== position);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function find<T>(list: readonly T[], condition: (member: T) => boolean): T {
  const found = list.find(condition);
  if (found === undefined) throw new Error('The list has no such member');
  return found;
}

export function expectAscending(numbers: readonly number[]): void {
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
}

function read(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}
