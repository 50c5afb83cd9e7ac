import { describe, expect, test } from 'vitest';
import {
  type AddressPolicy,
  parseWebhookUrl,
  type Resolve,
  resolveAllowed,
  resolveHost,
} from '../../src/webhooks/address.ts';
import { createSender } from '../../src/webhooks/send.ts';
import { startReceiver } from '../support/receiver.ts';

const receiver = await startReceiver();
const { port } = receiver;
const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
const message = { id: 'msg_1', body: '{"type":"webhook.test"}' };
const internet: AddressPolicy = { allowHttp: true, allowNetworks: [] };

const answering =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Accepts a URL as `createWebhook` does. */
const check = async (url: string, policy = internet, resolve = resolveHost) =>
  resolveAllowed(parseWebhookUrl(url, policy), policy, resolve);

const send = (url: string, { policy = internet, resolve = resolveHost, timeoutMs = 2_000 } = {}) => {
  const sender = createSender({ policy, resolve, timeoutMs });
  return sender.send({ url, secrets }, message).finally(() => sender.close());
};

describe('a webhook never leads into a private network', () => {
  const hosts = [
    '127.0.0.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0.0.0.0',
    'localhost',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fd00::1]',
    '[fec0::1]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    // Metadata of Azure, although it is in a public range.
    '168.63.129.16',
    '[::ffff:168.63.129.16]',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '１２７.0.0.1',
    '127。0。0。1',
  ];

  test.each(hosts)('%s', async host => {
    const url = `http://${host}:${port}/private`;
    await expect(check(url)).rejects.toThrow('is not a public address');
    expect(await send(url)).toMatchObject({
      isDelivered: false,
      status: null,
      error: expect.stringContaining('is not a public address; the operator can allow'),
    });
    expect(receiver.at('/private')).toEqual([]);
  });

  test.each([
    ['http://[fe80::1%25lo]/', 'is not a URL'],
    [`http://user:secret@127.0.0.1:${port}/`, 'contains a user name or password'],
    ['ftp://pos.example/', 'The URL begins with ftp; only https is allowed'],
    ['file:///etc/passwd', 'begins with file'],
    ['//pos.example', 'is not a URL such as https://pos.example/webhooks'],
    ['https://pos.example/#part', 'contains a fragment'],
    ['https://pos.example/\0', /^The URL contains the control character U\+0000\.?$/],
    ['https://pos.example/a\nb', /^The URL contains the control character U\+000A\.?$/],
    ['https://pos.example/\u007f', /^The URL contains the control character U\+007F\.?$/],
    ['\u0001https://pos.example/', /^The URL contains the control character U\+0001\.?$/],
    // Not every resolver knows it; one that does returns a loopback address.
    ['http://localhost./', /is not a public address|ENOTFOUND/],
  ])('the URL %j is rejected', async (url, reason) => {
    await expect(check(url)).rejects.toThrow(reason);
    expect(await send(url)).toMatchObject({ isDelivered: false, error: expect.stringMatching(reason) });
  });

  test('a URL of more than 2048 characters is rejected', async () => {
    await expect(check(`https://pos.example/${'x'.repeat(2048)}`)).rejects.toThrow('more than 2048 characters');
  });

  test('http is rejected unless the operator allows it', async () => {
    const reason = 'only https is allowed unless the operator sets CARTE_WEBHOOK_ALLOW_HTTP=on';
    const policy = { allowHttp: false, allowNetworks: ['127.0.0.0/8'] };
    expect(await send(receiver.urlOf('/private'), { policy })).toMatchObject({
      error: expect.stringContaining(reason),
    });
    expect(receiver.at('/private')).toEqual([]);
  });

  test('a name with a public and a private address is rejected', async () => {
    const resolve = answering('93.184.215.14', '127.0.0.1');
    const url = `http://mixed.example:${port}/private`;
    await expect(check(url, internet, resolve)).rejects.toThrow('mixed.example resolves to 127.0.0.1, which is not');
    expect(await send(url, { resolve })).toMatchObject({ isDelivered: false });
    expect(receiver.at('/private')).toEqual([]);
  });

  test('a name whose address changes after the webhook was created is rejected at the delivery', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    const resolve: Resolve = host => answering(...(answers.shift() ?? []))(host);
    const url = `http://rebinding.example:${port}/private`;
    await check(url, internet, resolve);
    expect(await send(url, { resolve })).toMatchObject({
      error: expect.stringContaining('rebinding.example resolves to 127.0.0.1'),
    });
    expect(receiver.at('/private')).toEqual([]);
  });

  test('the connection goes to the address that was checked, whatever the name would resolve to by then', async () => {
    let lookups = 0;
    const policy = { allowHttp: true, allowNetworks: ['127.0.0.1/32'] };
    const resolve: Resolve = host => answering(++lookups === 1 ? '127.0.0.1' : '127.0.0.2')(host);
    const attempt = await send(`http://pos.example:${port}/checked`, { policy, resolve });
    expect({ ...attempt, lookups }).toMatchObject({ isDelivered: true, lookups: 1 });
    expect(receiver.at('/checked')[0]?.headers.host).toBe(`pos.example:${port}`);
  });

  test.each([1, 22, 25, 81, 444, 1023])('port %i of a public address is rejected', async reserved => {
    const url = `https://pos.example:${reserved}/`;
    const reason = `The port ${reserved} is reserved for other services: below 1024 only 443 and 80 are allowed`;
    await expect(check(url, internet, answering('93.184.215.14'))).rejects.toThrow(reason);
    expect(await send(url, { resolve: answering('93.184.215.14') })).toMatchObject({
      error: expect.stringContaining(reason),
    });
  });

  test.each(['https://pos.example/', 'http://pos.example/', 'https://pos.example:80/', 'https://pos.example:1024/'])(
    'the port of %s is allowed',
    async url => {
      await check(url, internet, answering('93.184.215.14'));
    },
  );

  test('in a network that the operator allows, every port and address is', async () => {
    const policy = { allowHttp: false, allowNetworks: ['10.0.0.0/8', '168.63.129.16/32'] };
    await check('https://10.0.0.7:25/', policy);
    await check('https://168.63.129.16/', policy);
  });

  test('a redirect is not followed', async () => {
    receiver.respond('/redirect', response => response.writeHead(302, { location: '/private' }).end());
    const policy = { allowHttp: true, allowNetworks: ['127.0.0.0/8', '::1/128'] };
    expect(await send(receiver.urlOf('/redirect'), { policy })).toMatchObject({
      isDelivered: false,
      status: 302,
      error: 'the response has status 302; redirects are not followed',
    });
    expect(receiver.at('/private')).toEqual([]);
  });
});

describe('an endpoint', () => {
  const policy = { allowHttp: true, allowNetworks: ['127.0.0.0/8'] };

  test('that sends 50 MB is cut off, and has accepted the message', async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let written = 0;
    const closed = Promise.withResolvers<void>();
    receiver.respond('/large', response => {
      response.on('close', closed.resolve);
      const write = (): void => {
        while (written < 50) {
          written += 1;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    expect(await send(receiver.urlOf('/large'), { policy })).toMatchObject({ isDelivered: true, status: 200 });
    await closed.promise;
    expect(written).toBeLessThan(50);
  });

  test('that does not respond is given up after the time-out', async () => {
    receiver.respond('/hangs', () => {});
    expect(await send(receiver.urlOf('/hangs'), { policy, timeoutMs: 200 })).toMatchObject({
      isDelivered: false,
      status: null,
      error: 'no response within 0.2 seconds',
    });
  });

  test('whose name cannot be looked up in time is given up as well', async () => {
    const resolve: Resolve = () => new Promise(() => {});
    expect(await send('https://slow.example/', { policy, resolve, timeoutMs: 100 })).toMatchObject({
      error: 'no response within 0.1 seconds',
    });
  });

  test('that sends endless headers, does not listen or has no TLS has not accepted the message', async () => {
    expect(await send(`https://127.0.0.1:${port}/`, { policy })).toMatchObject({ isDelivered: false, status: null });
    receiver.respond('/headers', response => response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end());
    expect(await send(receiver.urlOf('/headers'), { policy })).toMatchObject({
      error: expect.stringContaining('Header overflow'),
    });
    expect(await send('http://127.0.0.1:1/', { policy })).toMatchObject({
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
