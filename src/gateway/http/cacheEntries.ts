import type { Address } from '#domain/address.ts'
import type { Outcome } from './answer.ts'

export interface Entry {
  readonly key: string
  readonly token: Address | null
  readonly outcome: Promise<Outcome>
  /** When making the answer began; `null`: it waits for an older answer of the same key. */
  begunAtMs: number | null
  /** Whether its key was asked for more than once. */
  isRepeated: boolean
  /** The size in memory, which is an estimate until the answer is made. */
  bytes: number
}

/** Entries by key within a number of bytes. The least recently used ones are evicted. */
export class CacheEntries {
  readonly #maxBytes: number
  readonly #onEvicted: (entry: Entry) => void
  /** The entries, the least recently used one first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes: number, onEvicted: (entry: Entry) => void) {
    this.#maxBytes = maxBytes
    this.#onEvicted = onEvicted
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  has(entry: Entry): boolean {
    return this.#entries.get(entry.key) === entry
  }

  add(entry: Entry): void {
    this.#entries.set(entry.key, entry)
    this.#bytes += entry.bytes
    this.#evict()
  }

  delete(entry: Entry): void {
    if (!this.has(entry)) return
    this.#entries.delete(entry.key)
    this.#bytes -= entry.bytes
  }

  touch(entry: Entry): void {
    this.#entries.delete(entry.key)
    this.#entries.set(entry.key, entry)
  }

  resize(entry: Entry, bytes: number): void {
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
    this.#evict()
  }

  #evict(): void {
    for (const entry of this.#entries.values()) {
      if (this.#bytes <= this.#maxBytes) return
      this.delete(entry)
      this.#onEvicted(entry)
    }
  }
}
