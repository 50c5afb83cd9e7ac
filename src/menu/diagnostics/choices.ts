import type { DiagnosticCode } from './codes.ts';
import type { Finding, LinkedGroup, Path, Subject } from './subject.ts';
import { called, counted } from './wording.ts';

interface Offer {
  readonly group: LinkedGroup;
  readonly path: Path;
}

/** Modifier groups whose limits do not agree with each other or with what they offer. */
export function* checkChoices({ modifierGroups }: Subject): Generator<Finding> {
  for (const [at, group] of modifierGroups.entries()) {
    const offer: Offer = { group, path: ['modifierGroups', at] };
    yield* checkLimits(offer);
    if (group.groupMax < group.groupMin || group.members.length === 0) continue;
    yield* checkSums(offer);
    yield* checkCharge(offer);
  }
}

function* checkLimits(offer: Offer): Generator<Finding> {
  const { groupMin, groupMax, members } = offer.group;
  if (groupMax < groupMin) {
    const says = `asks for at least ${groupMin} and at most ${groupMax} selections, which is impossible`;
    yield about(offer, { code: 'GROUP_MAX_BELOW_MIN', field: 'groupMax', says });
  }
  if (groupMax === 0 && members.length > 0) {
    const says = 'allows at most 0 selections, so guests can choose nothing from it';
    yield about(offer, { code: 'GROUP_MAX_ZERO', field: 'groupMax', says });
  }
  if (members.length > 0) return;
  if (groupMin > 0) {
    const says = `asks for at least ${selections(groupMin)} but has no modifier items`;
    yield about(offer, { code: 'GROUP_MIN_UNREACHABLE', field: 'groupMin', says });
  } else {
    yield about(offer, { code: 'EMPTY_GROUP', field: 'modifierItemExternalIds', says: 'has no modifier items' });
  }
}

/**
 * What the group asks for, against what its modifier items add up to; the first contradiction brings on the others.
 * Out of stock counts as offered, since it may come back. No default at all is fine: the guest is asked.
 */
function* checkSums(offer: Offer): Generator<Finding> {
  const { groupMin, groupMax, members } = offer.group;
  const most = sum(members.map(member => member.maxQuantity));
  const fewest = sum(members.map(member => member.minQuantity));
  const defaults = sum(members.map(member => member.defaultQuantity));
  if (most < groupMin) {
    const says = `asks for at least ${selections(groupMin)}, but its modifier items allow at most ${most}`;
    yield about(offer, { code: 'GROUP_MIN_UNREACHABLE', field: 'groupMin', says });
  } else if (fewest > groupMax) {
    const says = `allows at most ${selections(groupMax)}, but its modifier items ask for ${fewest} together`;
    yield about(offer, { code: 'MINIMUMS_ABOVE_GROUP_MAX', field: 'groupMax', says });
  } else if (defaults > groupMax) {
    const says = `allows at most ${selections(groupMax)}, but has ${defaults} by default`;
    yield about(offer, { code: 'DEFAULTS_ABOVE_GROUP_MAX', field: 'groupMax', says });
  } else if (defaults > 0 && defaults < groupMin) {
    const says = `asks for at least ${selections(groupMin)}, but has only ${defaults} by default`;
    yield about(offer, { code: 'DEFAULTS_BELOW_GROUP_MIN', field: 'groupMin', says });
  }
}

function* checkCharge(offer: Offer): Generator<Finding> {
  const { groupMax, chargeAfter, members } = offer.group;
  if (groupMax <= 0) return;
  if (chargeAfter > groupMax) {
    const says = `charges after ${counted(chargeAfter, 'free selection')}, but allows at most ${groupMax}`;
    yield about(offer, { code: 'CHARGE_AFTER_ABOVE_MAX', field: 'chargeAfter', says });
  } else if (chargeAfter === groupMax && members.some(member => member.priceChange > 0)) {
    const says = `gives ${selections(groupMax)} free and allows no more, so its prices are never charged`;
    yield about(offer, { code: 'PRICES_NEVER_CHARGED', field: 'chargeAfter', says });
  }
}

interface Statement {
  readonly code: DiagnosticCode;
  readonly field: keyof LinkedGroup;
  readonly says: string;
}

function about({ group, path }: Offer, { code, field, says }: Statement): Finding {
  return { code, path: [...path, field], message: `Modifier group ${called(group)} ${says}.` };
}

function selections(count: number): string {
  return counted(count, 'selection');
}

/** A negative quantity is told of as such and counts for nothing here. */
function sum(quantities: readonly number[]): number {
  return quantities.reduce((total, quantity) => total + Math.max(0, quantity), 0);
}
