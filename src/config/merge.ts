/** Lays one settings file over another: scalars and arrays replace, objects are merged key by key, null takes a key out. */

type Plain = { readonly [key: string]: unknown };

export function deepMerge(base: unknown, over: unknown): unknown {
  if (!isPlain(base) || !isPlain(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    // Own keys only: a file that names `__proto__` must not reach the object's real one.
    const present = Object.hasOwn(merged, key) ? merged[key] : undefined;
    if (value === null) {
      delete merged[key];
      continue;
    }
    Object.defineProperty(merged, key, {
      value: deepMerge(present ?? {}, value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return merged;
}

export function isPlain(value: unknown): value is Plain {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
