import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, type GraphQLInputObjectType, isInputObjectType } from 'graphql';
import { compileReader, type Reader } from '../input/reader.ts';

const folder = new URL('../../schema/', import.meta.url);

/** The reader of a document in the interface's own shape, by the name of its input type in the graph or in schema/import. */
export function documentReader(inputType: string): Reader {
  return compileReader(inputTypeOf(inputType));
}

export function inputTypeOf(name: string): GraphQLInputObjectType {
  const files = [...readdirSync(folder).filter(file => file.endsWith('.graphql')), 'import/documents.graphql'];
  const schema = buildSchema(files.map(file => readFileSync(new URL(file, folder), 'utf8')).join('\n'));
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`The schema has no input type ${name}`);
  return type;
}
