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
