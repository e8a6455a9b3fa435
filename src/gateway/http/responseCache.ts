import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from '#domain/address.ts'
import { getOrInsert } from '#domain/maps.ts'
import { type Answer, entityTag, type Outcome } from './answer.ts'

/** The most memory of cached answers and their compressed forms. */
const MAX_BYTES = 64 << 20
/** The most memory of a cached answer. A larger one is not cached. */
const MAX_ANSWER_BYTES = 2 << 20
/** The memory per byte of a body: its compressed forms take about half as much again. */
const BYTES_PER_BODY_BYTE = 1.5
/** The memory of an answer's promise, headers and places in lists. */
const BYTES_PER_ANSWER = 1_000
/** The memory per character of a key, which may be as long as a URL. */
const BYTES_PER_KEY_CHARACTER = 2

/** The time after which an answer is read again even if nothing has changed, so that an outage of the database shows. */
const MAX_AGE_MS = 2_000

export interface CachedRequest {
  /** A text that is the same for the same path and query. */
  readonly key: string
  /** The token whose changes outdate the answer; `null`: any commit outdates it. */
  readonly token: Address | null
}

/**
 * Caches an answer until a commit can have changed it, if its key was asked for before. An answer for a single reader is not cached: it
 * would outlive the young generation of the heap, and a collection of the old one stops the event loop for longer.
 *
 * Requests share an answer that is being made, unless a commit has come since it was begun, so that an answer is never older than the
 * newest commit that was reported before its request. For each key, one answer is made at a time, and at most one waits. Otherwise each
 * commit would add another read, if making an answer takes longer than the time between commits.
 */
export interface ResponseCache {
  /** The cached response, or what `make` resolves to. Only answers with status 200 are cached. Rejects as `make` does. */
  ask(request: CachedRequest, make: () => Promise<Outcome>): Promise<Outcome>
  /** To be called with the tokens that a commit changed (`null`: it may have changed any), before its updates are sent. */
  changed(tokens: Iterable<Address> | null): void
}

/** @param now monotonic milliseconds */
export function createResponseCache(now: () => number): ResponseCache {
  /** The entries whose answer is cached or being made. */
  const entries = new CacheEntries(MAX_BYTES, unlist)
  const recent = new RecentKeys()
  /** The entries by the token whose change outdates them; under `null`, those that any commit outdates. */
  const listed = new Map<Address | null, Set<Entry>>()
  /** The newest answer that is being made for each key, outdated or not. */
  const underWay = new Map<string, Promise<Outcome>>()

  function ask({ key, token }: CachedRequest, make: () => Promise<Outcome>): Promise<Outcome> {
    const entry = current(key)
    if (entry === undefined) return begin(key, token, make)
    entry.isRepeated = true
    entries.touch(entry)
    return entry.outcome
  }

  function current(key: string): Entry | undefined {
    const entry = entries.get(key)
    if (entry === undefined || entry.begunAtMs === null || now() - entry.begunAtMs < MAX_AGE_MS) return entry
    forget(entry)
    return undefined
  }

  function begin(key: string, token: Address | null, make: () => Promise<Outcome>): Promise<Outcome> {
    const before = underWay.get(key)
    const outcome = (
      before === undefined ? make() : Promise.race([before, pause(MAX_AGE_MS, null, { ref: false })]).then(start, start)
    ).then(prepare)
    const begunAtMs = before === undefined ? now() : null
    const bytes = BYTES_PER_ANSWER + key.length * BYTES_PER_KEY_CHARACTER
    const entry: Entry = { key, token, outcome, begunAtMs, isRepeated: recent.note(key), bytes }
    underWay.set(key, outcome)
    getOrInsert(listed, token, () => new Set()).add(entry)
    entries.add(entry)
    outcome.then(
      made => settle(entry, made),
      () => {
        end(entry)
        forget(entry)
      },
    )
    return outcome

    function start(): Promise<Outcome> {
      entry.begunAtMs = now()
      return make()
    }
  }

  function end({ key, outcome }: Entry): void {
    if (underWay.get(key) === outcome) underWay.delete(key)
  }

  function settle(entry: Entry, outcome: Outcome): void {
    end(entry)
    // An entry that is gone from `entries` was outdated by a commit, evicted or too old.
    if (!entries.has(entry)) return
    const bytes = isCacheable(outcome) ? entry.bytes + outcome.body.length * BYTES_PER_BODY_BYTE : Number.POSITIVE_INFINITY
    if (!entry.isRepeated || bytes > MAX_ANSWER_BYTES) forget(entry)
    else entries.resize(entry, bytes)
  }

  function forget(entry: Entry): void {
    entries.delete(entry)
    unlist(entry)
  }

  function unlist(entry: Entry): void {
    const others = listed.get(entry.token)
    others?.delete(entry)
    if (others?.size === 0) listed.delete(entry.token)
  }

  return {
    ask,
    changed(tokens) {
      for (const token of tokens === null ? [...listed.keys()] : [null, ...tokens]) {
        for (const entry of listed.get(token) ?? []) if (entry.begunAtMs !== null) forget(entry)
      }
    },
  }
}

/** Adds the body's bytes and tag, so that neither is made again for each request. */
function prepare(outcome: Outcome): Outcome {
  if (outcome.kind !== 'answer' || outcome.status !== '200 OK' || outcome.body === null) return outcome
  const body = typeof outcome.body === 'string' ? Buffer.from(outcome.body) : outcome.body
  return { ...outcome, body, tag: outcome.tag ?? entityTag(body) }
}

function isCacheable(outcome: Outcome): outcome is Answer & { readonly body: Buffer } {
  return outcome.kind === 'answer' && outcome.status === '200 OK' && Buffer.isBuffer(outcome.body)
}

interface Entry {
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
class CacheEntries {
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
