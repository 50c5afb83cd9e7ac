import { type ObjectNode, parse } from '@humanwhocodes/momoa';
import { GraphQLError, GraphQLNonNull, type GraphQLOutputType, getNullableType, Source } from 'graphql';
import type { SetFiles, SourceFile } from './folders.ts';
import { findMismatches } from './outputs.ts';

/** Finds what the `examples.json` of a set has that is not the sample of an operation. */
export function* checkExamples(
  { path, text }: SourceFile,
  examples: SetFiles['examples'],
  bodies: ReadonlyMap<string, GraphQLOutputType>,
): Generator<GraphQLError> {
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
    const body = bodies.get(name);
    const known = [...bodies.keys()].join(', ');
    if (!body) yield errorAt(offset, `There is no operation ${name}, only ${known}; rename or remove its sample.`);
    else {
      // Null on the path to a body is 404, which has another one.
      const problems = findMismatches(new GraphQLNonNull(getNullableType(body)), examples[name], name);
      for (const problem of problems) yield errorAt(offset, `The sample of ${name} is no body of it: ${problem}.`);
    }
  }
}

const membersOf = ({ members }: ObjectNode) =>
  members.map(({ name, value, loc }) => ({
    name: name.type === 'String' ? name.value : name.name,
    value,
    offset: loc.start.offset,
  }));
