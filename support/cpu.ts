import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Returns the CPU seconds of a process, its running descendants and its reaped children. */
export function cpuSeconds(pid: number | undefined): number {
  const processes = new Map(
    readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .flatMap(name => {
        const found = read(Number(name));
        return found ? [[Number(name), found] as const] : [];
      }),
  );
  let ticks = 0;
  const left = [pid ?? 0];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    ticks += processes.get(next)?.ticks ?? 0;
    for (const [child, { parent }] of processes) if (parent === next) left.push(child);
  }
  return ticks / ticksPerSecond;
}

function read(pid: number): { readonly parent: number; readonly ticks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1] ?? 0, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) };
  } catch {
    return undefined; // It has ended meanwhile.
  }
}
