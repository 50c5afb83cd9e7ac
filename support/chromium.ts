import { existsSync } from 'node:fs';

/** The Chromium that is installed, if one is. The first of them has no windows, which saves a sixth of the processor time. */
export const chromiumPath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => path && existsSync(path));
