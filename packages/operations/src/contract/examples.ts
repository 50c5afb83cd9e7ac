import { type ObjectNode, parse } from '@humanwhocodes/momoa';
import { GraphQLError, Source } from 'graphql';
import type { SourceFile } from './folders.ts';

/** Finds what the `examples.json` of a set has that is not the sample of an operation. */
export function* checkExamples({ path, text }: SourceFile, operations: readonly string[]): Generator<GraphQLError> {
  const { body } = parse(text);
  const errorAt = (offset: number, message: string) =>
    new GraphQLError(message, { source: new Source(text, path), positions: [offset] });
  const fields = body.type === 'Object' ? membersOf(body) : [];
  for (const { name, offset } of fields) {
    if (name !== 'responses') yield errorAt(offset, `"${name}" is not a field of this file; it has "responses" alone.`);
  }
  const responses = fields.find(({ name }) => name === 'responses')?.value;
  if (responses?.type !== 'Object') {
    yield errorAt(body.loc.start.offset, 'The file has no object "responses" with a body for each operation; add it.');
    return;
  }
  for (const { name, offset } of membersOf(responses)) {
    if (operations.includes(name)) continue;
    yield errorAt(offset, `There is no operation ${name}, only ${operations.join(', ')}; rename or remove its sample.`);
  }
}

const membersOf = ({ members }: ObjectNode) =>
  members.map(({ name, value, loc }) => ({
    name: name.type === 'String' ? name.value : name.name,
    value,
    offset: loc.start.offset,
  }));
