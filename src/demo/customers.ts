import customers from '../../demo/customers.json' with { type: 'json' };
import type { Random } from './random.ts';

/** Draws a customer, mostly from the store's own timezone, and sometimes a comment. */
export function drawCustomer(timezone: string | null | undefined, random: Random) {
  const local = customers.filter(region => region.timezone !== undefined && region.timezone === timezone);
  const region = random.pick(local.length > 0 && random.chance(0.8) ? local : customers);
  const name = random.pick(region.names);
  const comment = random.chance(0.2) ? random.pick(region.comments) : undefined;
  return { customer: { name, phone: phoneOf(region, name) }, comment };
}

/** Fills the digits of a pattern, in a range that is not assigned to subscribers. */
function phoneOf({ phone, names }: (typeof customers)[number], name: string): string {
  const length = phone.split('#').length - 1;
  // A factor coprime to 10 gives every name of a region its own number, whatever the length.
  const digits = String(((names.indexOf(name) + 1) * 271_829) % 10 ** length).padStart(length, '0');
  return [...digits].reduce((filled, digit) => filled.replace('#', digit), phone);
}
