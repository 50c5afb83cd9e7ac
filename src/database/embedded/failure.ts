/** The code of a system error, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Turns "there is no such file" into a value. */
export function ifAbsent<T>(value: T): (error: unknown) => T {
  return error => {
    if (codeOf(error) === 'ENOENT') return value;
    throw error;
  };
}

/** The last thing that a failed program said, or else what is known about the failure. */
export function lastWords(error: unknown): string {
  const said =
    error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return said.split('\n').at(-1) || (error instanceof Error ? error.message : String(error));
}
