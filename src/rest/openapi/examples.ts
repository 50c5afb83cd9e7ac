import examples from '../../../schema/rest/examples.json' with { type: 'json' };

/** Bodies of errors that the service has sent with the demo's data, by status; a test records and compares them. */
const errors: Readonly<Record<string, unknown>> = examples.errors;

export const errorExample = (status: number): unknown => errors[status];
