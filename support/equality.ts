/** Returns the path and both values of the first difference of two responses; undefined if they are equal. */
export function differenceOf(one: unknown, other: unknown, path = '$'): string | undefined {
  const [left, right] = [plain(one), plain(other)];
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) return `${path}: ${left.length} elements, ${right.length}`;
    return firstOf(left.keys(), at => differenceOf(left[at], right[at], `${path}[${at}]`));
  }
  if (isObject(left) && isObject(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return firstOf(keys, key => differenceOf(left[key], right[key], `${path}.${key}`));
  }
  return Object.is(left, right) ? undefined : `${path}: ${shown(left)}, ${shown(right)}`;
}

function firstOf<T>(keys: Iterable<T>, find: (key: T) => string | undefined): string | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/;

/** Absent, null and the empty list are equal, and so are two notations of an instant. */
function plain(value: unknown): unknown {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  return typeof value === 'string' && dateTime.test(value) ? new Date(value).toISOString() : value;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 80);
