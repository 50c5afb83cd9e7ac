import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { authentication } from '../../src/server/authentication.ts';
import { health } from '../../src/server/health.ts';
import { protocol } from '../../src/server/protocol.ts';
import { rest } from '../../src/server/rest.ts';

describe('a plugin of the server', () => {
  test.each([
    ['authentication', authentication, 'address-limit'],
    ['health', health, 'database'],
    ['protocol', protocol, 'requests'],
    ['rest', rest, 'authentication'],
  ] as const)('is not loaded before those that it needs: %s', async (name, plugin, missing) => {
    const message = `The dependency '${missing}' of plugin '${name}' is not registered`;
    await expect(async () => Fastify().register(plugin)).rejects.toThrow(message);
  });
});
