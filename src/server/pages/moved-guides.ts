/** Names that guides once had, with the guide and section that their text is in now. */
const movedGuides: ReadonlyMap<string, string> = new Map([
  ['contributing', 'architecture#contributing'],
  ['events', 'webhooks-and-events#the-event-log'],
  ['failover', 'scaling-and-failover#failover'],
  ['glossary', 'architecture#glossary'],
  ['graphql-limits', 'front-end#limits'],
  ['operating-orders', 'operating#orders'],
  ['performance', 'architecture#performance'],
  // Without a section, a browser keeps that of the old address, whose headings are the same.
  ['scaling', 'scaling-and-failover'],
  ['webhooks', 'webhooks-and-events'],
]);

/** Returns the new path below `/guides/` of a guide that has moved, or of its Markdown. */
export function findMovedGuide(path: string): string | undefined {
  if (!path.endsWith('.md')) return movedGuides.get(path);
  const [name] = movedGuides.get(path.slice(0, -'.md'.length))?.split('#') ?? [];
  return name === undefined ? undefined : `${name}.md`;
}
