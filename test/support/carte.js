// Stands in for `bin/carte.js` in a shell of a test: passes the command to the test's process, which runs it (shell-commands.ts).
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const { CARTE_TEST_SOCKET, ...env } = process.env;
const socket = connect(CARTE_TEST_SOCKET);
socket.end(
  JSON.stringify({ args: process.argv.slice(2), folder: process.cwd(), env, input: await text(process.stdin) }),
);
const { code, stdout, stderr } = JSON.parse(await text(socket));
process.stderr.write(stderr);
process.stdout.write(stdout);
process.exitCode = code;
