import type { Order } from './operations.ts';

const labels = { PICKUP: 'Pick-up', DELIVERY: 'Delivery', DINE_IN: 'Dine-in', OTHER: '' } as const;

/** How the guest gets an order, e.g. `Dine-in, table 12`; empty if the order does not say. */
export function serviceOf({ serviceType, table }: Order): string {
  return [serviceType ? labels[serviceType] : '', table ? `table ${table}` : ''].filter(Boolean).join(', ');
}

/** The address in one line, without the note. */
export function addressOf({ address }: Order): string {
  if (!address) return '';
  const { addressLine1, addressLine2, postalCode, city } = address;
  return [addressLine1, addressLine2, [postalCode, city].filter(Boolean).join(' ')].filter(Boolean).join(', ');
}
