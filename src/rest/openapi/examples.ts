import examples from '../../../schema/rest/examples.json' with { type: 'json' };

/** Bodies that the service has sent with the demo's data, by operation and by status; a test records and compares them. */
const { responses, errors }: { readonly responses: Recorded; readonly errors: Recorded } = examples;

type Recorded = Readonly<Record<string, unknown>>;

export const responseExample = (operation: string): unknown => responses[operation];

export const errorExample = (status: number): unknown => errors[status];
