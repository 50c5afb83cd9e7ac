/** Writes the schema of the running service to schema.graphql, from which the compiler reads it. */
import { writeFile } from 'node:fs/promises';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { post } from './environment.ts';

const { data } = await post<IntrospectionQuery>({ query: getIntrospectionQuery() });
if (!data) throw new Error('The service does not allow introspection.');
await writeFile(new URL('schema.graphql', import.meta.url), printSchema(buildClientSchema(data)));
