import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';

/** Whether clocks know a timezone; `Intl` has no other test, since `supportedValuesOf` omits aliases. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Names the timezone that was probably meant; empty if none is similar. */
export const suggestTimezone = (name: string): string =>
  didYouMean(suggestionList(name, Intl.supportedValuesOf('timeZone')).slice(0, 1));
