/** The remembered keys have at least this many characters in all, and at most twice as many. */
const MIN_CHARACTERS = 1 << 20

/** Remembers the keys that were noted last, within a bounded memory. */
export class RecentKeys {
  #newer = new Set<string>()
  #older = new Set<string>()
  #characters = 0

  /** Returns whether the key was remembered before. */
  note(key: string): boolean {
    if (this.#newer.has(key)) return true
    const isKnown = this.#older.has(key)
    if (this.#characters + key.length > MIN_CHARACTERS) {
      this.#older = this.#newer
      this.#newer = new Set()
      this.#characters = 0
    }
    this.#newer.add(key)
    this.#characters += key.length
    return isKnown
  }
}
