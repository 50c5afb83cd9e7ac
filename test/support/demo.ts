import { readFileSync } from 'node:fs';
import { ValidationErrors } from '@carte/base/validation';
import { compileReader } from '@carte/operations/input/reader';
import { expect } from 'vitest';
import { menuDocumentType } from '../../src/import/documents.ts';
import type { ConfigurationInput, PostedConfiguration } from '../../src/menu/kinds.ts';

interface Store {
  readonly id: string;
  readonly name: { readonly translations: Readonly<Record<string, string>> };
  readonly timezone: string;
  readonly merchant: { readonly id: string };
}

const folder = new URL('../../demo/', import.meta.url);

/** The documents of an NDJSON file in the folder `demo`. */
export function demoDocuments(file: string) {
  return read(file)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

/** The demo's stores with their menu configurations. */
export function demoStores(): (Store & { readonly menu: PostedConfiguration })[] {
  const reader = compileReader(menuDocumentType());
  return demoDocuments('stores.ndjson').map(store => {
    const errors = new ValidationErrors();
    const menu = reader.read(JSON.parse(read(`menus/${store.id}.json`)), [], errors) as ConfigurationInput;
    expect(errors.list).toEqual([]);
    return { ...store, menu: { menus: [], categories: [], modifierGroups: [], modifierItems: [], ...menu } };
  });
}

export function idsOf(list: readonly { readonly externalId: string }[]): string[] {
  return list.map(({ externalId }) => externalId);
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
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
}

function read(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}
