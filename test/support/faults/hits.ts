/** Counts a fault. */
export type Hit = (fault: string) => void

/** The number of times that each fault happened. */
export interface Hits {
  readonly hit: Hit
  counts(): Readonly<Record<string, number>>
}

/** @param faults all faults, so that one that never happens is noticed */
export function createHits(faults: readonly string[]): Hits {
  const counts = new Map(faults.map(fault => [fault, 0]))
  return {
    hit: fault => {
      const count = counts.get(fault)
      if (count === undefined) throw new TypeError(`the fault "${fault}" is in no list`)
      counts.set(fault, count + 1)
    },
    counts: () => Object.fromEntries(counts),
  }
}
