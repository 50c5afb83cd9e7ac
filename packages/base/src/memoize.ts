/** Computes a value once for each object, for as long as the object exists. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return key => {
    let value = values.get(key);
    if (value === undefined) {
      value = compute(key);
      values.set(key, value);
    }
    return value;
  };
}

/** Computes a value once for equal arguments, by their JSON. */
export function memoizeByValue<Argument, Value>(compute: (argument: Argument) => Value): (argument: Argument) => Value {
  const values = new Map<string, Value>();
  return argument => {
    const key = JSON.stringify(argument);
    const value = values.get(key) ?? compute(argument);
    values.set(key, value);
    return value;
  };
}
