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
