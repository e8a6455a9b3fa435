/** A set of keys that may be too many to hold as text: they are made while it is iterated. Every `ReadonlySet` is one. */
export type KeySet<Key> = Pick<ReadonlySet<Key>, 'size' | 'has'> & Iterable<Key>

/** The keys of one set, and those of another one, each once. `size` counts a key of both twice. */
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
