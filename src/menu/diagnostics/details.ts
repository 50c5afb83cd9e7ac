import type { Finding, Subject } from './subject.ts';
import { called } from './wording.ts';

const minutesOfDay = 1440;

/** What else is said of an item. */
export function* checkDetails({ items }: Subject): Generator<Finding> {
  for (const [at, item] of items.entries()) {
    const { alcoholByVolume, dietaryLabels, prepTime } = item;
    if (typeof alcoholByVolume === 'number' && !(alcoholByVolume >= 0 && alcoholByVolume <= 100)) {
      const message = `Item ${called(item)} has ${alcoholByVolume} per cent of alcohol, which lies outside 0 to 100.`;
      yield { code: 'ALCOHOL_OUT_OF_RANGE', path: ['items', at, 'alcoholByVolume'], message };
    }
    if (typeof prepTime === 'number' && (prepTime < 0 || prepTime > minutesOfDay)) {
      const length = prepTime < 0 ? 'less than none' : 'more than a day';
      const message = `Item ${called(item)} takes ${prepTime} minutes to prepare, which is ${length}.`;
      yield { code: 'ODD_PREP_TIME', path: ['items', at, 'prepTime'], message };
    }
    if (dietaryLabels?.includes('VEGAN') && !dietaryLabels.includes('VEGETARIAN')) {
      const message = `Item ${called(item)} is labelled VEGAN but not VEGETARIAN, which vegan food is too.`;
      yield { code: 'VEGAN_NOT_VEGETARIAN', path: ['items', at, 'dietaryLabels'], message };
    }
  }
}
