import manifest from '../package.json' with { type: 'json' };

/** The version of Carte. */
export const { version } = manifest;
