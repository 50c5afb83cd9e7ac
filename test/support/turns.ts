/** Counts the turns of the event loop in which something runs: others can run in each of them. */
export async function countTurns<Result>(
  run: () => Result | Promise<Result>,
): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  try {
    const result = await run();
    return { result, turns };
  } finally {
    isDone = true;
  }
}
