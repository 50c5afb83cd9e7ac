import type { ASTNode, GraphQLSchema } from 'graphql';
import type { Operation } from './contract.ts';
import { toSentence } from './descriptions.ts';
import { type Annotated, type Deprecation, directiveAt } from './directives.ts';
import type { Report } from './sources.ts';

/** What is deprecated: an element of a derived schema that has this extension. */
export type DeprecationExtension = { readonly deprecation?: Deprecation | undefined };

/** The deprecation at a node; reports what its arguments cannot be. */
export function deprecationAt(
  schema: GraphQLSchema,
  node: ASTNode & Annotated,
  report: Report,
): Deprecation | undefined {
  const found = directiveAt(schema, 'deprecated', node);
  if (!found) return undefined;
  const { since, sunset, link } = found;
  for (const [name, text] of Object.entries({ since, sunset })) {
    if (text != null && !isDay(text))
      report(`"${text}" is no day; write \`${name}\` of @deprecated as "2027-06-30".`, node);
  }
  if (since && sunset && sunset < since) report(`@deprecated has the sunset ${sunset} before ${since}.`, node);
  if (link != null && !URL.canParse(link)) report(`"${link}" is no address; begin \`link\` with "https://".`, node);
  return found;
}

const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.startsWith(text) === true;

/** Puts the deprecation of something before its description. */
export function describeDeprecated(
  deprecation: Deprecation | undefined,
  description: string | undefined,
  separator = ' ',
): string | undefined {
  if (!deprecation) return description;
  const { reason, since, sunset, link } = deprecation;
  const dates = `${since ? ` since ${since}` : ''}${sunset ? `, to be removed on ${sunset}` : ''}`;
  const sentence = toSentence(`Deprecated${dates}: ${reason}`);
  const more = link ? ` See <${link}>.` : '';
  return [`${sentence}${more}`, ...(description ? [description] : [])].join(separator);
}

/** Whether something may be gone by now. */
export const isPastSunset = ({ sunset }: Deprecation, now: Date): boolean =>
  sunset != null && sunset <= now.toISOString().slice(0, 10);

/** The headers of RFC 9745 and RFC 8594 for a response that may be about any of these operations: none unless all of them are deprecated. */
export function deprecationHeaders(operations: readonly Operation[]): Readonly<Record<string, string>> {
  const all = operations.flatMap(({ deprecation }) => deprecation ?? []);
  if (all.length === 0 || all.length < operations.length) return {};
  const [since = '1970-01-01'] = latestFirst(all.map(each => each.since));
  const sunsets = latestFirst(all.map(each => each.sunset));
  const links = new Set(all.flatMap(({ link }) => (link ? [`<${new URL(link).href}>; rel="deprecation"`] : [])));
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    ...(sunsets[0] && sunsets.length === all.length && { sunset: new Date(sunsets[0]).toUTCString() }),
    ...(links.size > 0 && { link: [...links].join(', ') }),
  };
}

const latestFirst = (days: readonly (string | null | undefined)[]) =>
  days
    .filter(day => day != null)
    .sort()
    .reverse();
