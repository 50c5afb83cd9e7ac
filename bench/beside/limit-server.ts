/** The minimum that a response costs in Node: bytes from memory, sent by node:http. Its argument is the file of responses. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { keyOf, type Prebuilt } from './prebuilt.ts';

const recordings = new Map<string, { readonly headers: Readonly<Record<string, string>>; readonly bytes: Buffer }>();
const [file = ''] = process.argv.slice(2);
for await (const line of createInterface({ input: createReadStream(file) })) {
  const { key, headers, base64 }: Prebuilt = JSON.parse(line);
  const bytes = Buffer.from(base64, 'base64');
  recordings.set(key, { headers: { ...headers, 'content-length': String(bytes.length) }, bytes });
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  if (request.method !== 'POST') return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const server = createServer(async (request, response) => {
  const { url = '', headers } = request;
  const key = keyOf({ path: url, encoding: headers['accept-encoding'], body: await bodyOf(request) });
  const recording = recordings.get(key);
  if (!recording) return response.writeHead(404).end();
  const { etag } = recording.headers;
  if (etag !== undefined && headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
  return response.writeHead(200, recording.headers).end(recording.bytes);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
console.log(`The limit server is ready at http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
