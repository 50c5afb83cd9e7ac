import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';

const guide = readFileSync(new URL('../../docs/webhooks-and-events.md', import.meta.url), 'utf8');
const codeIn = (language: string) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1] ?? '';

const folder = mkdtempSync(join(tmpdir(), 'carte webhooks '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/8AAQIDBAU=';
const [other, body] = [
  'whsec_c2VjcmV0IG9mIGFub3RoZXIgd2ViaG9vaw==',
  '{"type":"order.placed","data":{"name":"Açaí 🍲"}}',
];
const now = new Date();
const old = new Date(now.getTime() - 600_000);
const sign = (key: string, at: Date, text = body) => new Webhook(key).sign('msg_1', at, text);
const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000));

/** Timestamp and signatures of messages, of which the first two are valid. */
const messages: readonly (readonly [timestamp: string, signatures: string])[] = [
  [seconds(now), sign(secret, now)],
  [seconds(now), `${sign(other, now)} ${sign(secret, now)}`],
  [seconds(now), sign(other, now)],
  [seconds(now), sign(secret, now, `${body} `)],
  [seconds(old), sign(secret, now)],
  [seconds(old), sign(secret, old)],
  [seconds(now), 'v1,'],
  [seconds(now), 'nonsense'],
];

/** Each program prints whether the messages in its arguments are valid: secret, body, then timestamp and signatures of each. */
const programs = [
  {
    ...{ language: 'js', command: process.execPath, file: 'verify.mjs' },
    end: `const [secret, body, ...rest] = process.argv.slice(2);
      for (let at = 0; at < rest.length; at += 2) {
        const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': rest[at], 'webhook-signature': rest[at + 1] };
        console.log(verify(secret, headers, Buffer.from(body)));
      }`,
  },
  {
    ...{ language: 'python', command: 'python3', file: 'verify.py' },
    end: `
import sys
secret, body, *rest = sys.argv[1:]
for at in range(0, len(rest), 2):
    headers = {"webhook-id": "msg_1", "webhook-timestamp": rest[at], "webhook-signature": rest[at + 1]}
    print(str(verify(secret, headers, body.encode())).lower())`,
  },
  {
    ...{ language: 'php', command: 'php', file: 'verify.php' },
    end: `[, $secret, $body] = $argv;
      foreach (array_chunk(array_slice($argv, 3), 2) as [$timestamp, $signatures]) {
        $headers = ['webhook-id' => 'msg_1', 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signatures];
        echo json_encode(verify($secret, $headers, $body)), "\\n";
      }`,
  },
  {
    ...{ language: 'java', command: 'java', file: 'Webhooks.java' },
    end: `class Program {
      public static void main(String[] args) throws Exception {
        for (int at = 2; at < args.length; at += 2) {
          Map<String, String> headers =
            Map.of("webhook-id", "msg_1", "webhook-timestamp", args[at], "webhook-signature", args[at + 1]);
          System.out.println(Webhooks.verify(args[0], headers, args[1].getBytes(StandardCharsets.UTF_8)));
        }
      }
    }`,
  },
].filter(({ command }) => !spawnSync(command, ['--version']).error);

test.each(programs)('the function in $language accepts valid messages alone', ({ language, command, file, end }) => {
  const path = join(folder, file);
  const code = codeIn(language);
  expect(code).toContain('verify');
  const program = language === 'php' ? `<?php\n${code}${end}` : code + end;
  // Java runs the first class of a file.
  const runnable =
    language === 'java' ? program.replace(/(class Webhooks[\s\S]*?)(class Program[\s\S]*)/, '$2\n$1') : program;
  writeFileSync(path, runnable);
  // Java's second compiler takes longer than the program.
  const javaOptions = [
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-Dfile.encoding=UTF-8',
    '-Dsun.jnu.encoding=UTF-8',
  ];
  const options = language === 'java' ? [...javaOptions, path] : [path];
  const { stdout, stderr } = spawnSync(command, [...options, secret, body, ...messages.flat()], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  expect({ stderr, valid: stdout.trim().split('\n') }).toEqual({
    stderr: '',
    valid: messages.map((_, index) => String(index < 2)),
  });
});
