/** The pids of the processes that serve; fails if none of them responds. */
export async function workersOf(url: string): Promise<readonly number[]> {
  const metrics = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(2_000) })).text();
  return [...metrics.matchAll(/^process_start_time_seconds\{process="(\d+)"\}/gm)].map(([, pid]) => Number(pid));
}
