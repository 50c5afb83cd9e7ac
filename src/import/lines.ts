/** One line of a file: its text, or undefined where it is not text that can be read. */
export interface Line {
  readonly number: number;
  readonly text: string | undefined;
}

const newline = 0x0a;

/** The lines of a stream of bytes. Only the line at hand is held, however long the stream is. */
export async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes: Buffer): string | undefined => {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
  let number = 0;
  let rest: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      yield { number: ++number, text: decode(rest.length > 0 ? Buffer.concat([...rest, piece]) : piece) };
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield { number: ++number, text: decode(Buffer.concat(rest)) };
}
