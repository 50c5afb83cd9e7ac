/** What `--help` shows last: calls to copy. */
export function examples(...calls: readonly [string, ...string[]]): string {
  return `\n${calls.length > 1 ? 'Examples' : 'Example'}:\n${calls.map(call => `  ${call}`).join('\n')}`;
}
