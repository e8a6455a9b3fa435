/** The value of a key, which is made and stored where there is none: `Map.prototype.getOrInsertComputed` of ECMAScript 2026. */
export function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}

/** Sets a key as the newest one of a map, and removes the oldest ones beyond `most`. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}

/** How often each key was counted. Keys that are at 0 take no memory. */
export class Tally {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** @returns the count after the change */
  add(key: string, difference: 1 | -1): number {
    const count = this.of(key) + difference
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
    return count
  }
}

/** A set of keys that may be too many to hold as text: iteration makes them one by one. Every `ReadonlySet` is a `KeySet`. */
export type KeySet<Key> = Pick<ReadonlySet<Key>, 'size' | 'has'> & Iterable<Key>

/** The keys of two sets, each once. `size` counts a key that is in both sets twice. */
export function joinedKeys<Key>(some: KeySet<Key>, others: KeySet<Key>): KeySet<Key> {
  return {
    size: some.size + others.size,
    has: key => some.has(key) || others.has(key),
    *[Symbol.iterator]() {
      yield* some
      for (const key of others) if (!some.has(key)) yield key
    },
  }
}
