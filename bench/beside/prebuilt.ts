import type { HttpResponse, Request } from '../support/client.ts';

/** A line in the limit server's file of responses. */
export interface Prebuilt {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly base64: string;
}

interface Asked {
  readonly path: string;
  readonly encoding: string | undefined;
  readonly body: string | undefined;
}

export const keyOf = ({ path, encoding = '', body }: Asked) =>
  body === undefined ? `GET ${path} ${encoding}` : `POST ${path} ${body}`;

const copied = ['content-type', 'content-encoding', 'etag', 'vary', 'cache-control'];

export function prebuild({ path, headers, body }: Request, response: HttpResponse): string {
  const kept = copied.flatMap(name => {
    const value = response.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const prebuilt: Prebuilt = {
    key: keyOf({ path, encoding: headers?.['accept-encoding'], body }),
    headers: Object.fromEntries(kept),
    base64: Buffer.concat(response.chunks).toString('base64'),
  };
  return `${JSON.stringify(prebuilt)}\n`;
}
