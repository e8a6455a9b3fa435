import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import type { History } from './ports.ts'

export type LoadOutcome = { readonly ok: true; readonly snapshot: TokenSnapshot | null } | { readonly ok: false; readonly error: unknown }

export interface LoadsOptions {
  readonly history: History
  /** Loads under way at once; more wait in line, so that a rush of new subscribers can't exhaust the database's connections. */
  readonly concurrency: number
  /** A load that has not answered after this counts as failed, and its place in the line is free again. */
  readonly timeoutMs: number
  /** Monotonic, in ms. */
  readonly now: () => number
  /** Told how a load ended that nobody cancelled or asked for again meanwhile. Called after `request` has returned. */
  readonly finished: (token: Address, outcome: LoadOutcome) => void
}

interface Load {
  readonly startedAtMs: number
  /** What becomes of its outcome. `repeat`: it was asked for again and may read what is older than that request, so another load follows. */
  outcome: 'tell' | 'repeat' | 'forget'
}

/** Reads tokens for the actors: at most one load per token at a time, a bounded number in all, first come first served. */
export class Loads {
  readonly #options: LoadsOptions
  readonly #line = new Set<Address>()
  readonly #underWay = new Map<Address, Load>()

  constructor(options: LoadsOptions) {
    this.#options = options
  }

  /** Loads that wait or are under way: at most one per token that somebody watches. */
  get pending(): number {
    return this.#line.size + this.#underWay.size
  }

  request(token: Address): void {
    const load = this.#underWay.get(token)
    if (load !== undefined) load.outcome = 'repeat'
    else {
      this.#line.add(token)
      this.#startNext()
    }
  }

  /** Nobody wants the token any more. A load under way keeps its place until it ends, since the database still works on it. */
  cancel(token: Address): void {
    this.#line.delete(token)
    const load = this.#underWay.get(token)
    if (load !== undefined) load.outcome = 'forget'
  }

  /** Gives up loads that take too long. Their answers are ignored when they come after all. */
  sweep(): void {
    const now = this.#options.now()
    const late = [...this.#underWay].filter(([, load]) => now - load.startedAtMs >= this.#options.timeoutMs)
    for (const [token, load] of late) this.#finish(token, load, { ok: false, error: new Error('the load took too long') })
  }

  stop(): void {
    this.#line.clear()
    this.#underWay.clear()
  }

  #startNext(): void {
    for (const token of this.#line) {
      if (this.#underWay.size >= this.#options.concurrency) return
      this.#line.delete(token)
      const load: Load = { startedAtMs: this.#options.now(), outcome: 'tell' }
      this.#underWay.set(token, load)
      void this.#run(token, load)
    }
  }

  async #run(token: Address, load: Load): Promise<void> {
    // Begun a microtask later, so that even a port that throws at once answers after `request` has returned.
    const outcome = await Promise.resolve()
      .then(() => this.#options.history.load(token))
      .then(
        (snapshot): LoadOutcome => ({ ok: true, snapshot }),
        (error: unknown): LoadOutcome => ({ ok: false, error }),
      )
    this.#finish(token, load, outcome)
  }

  #finish(token: Address, load: Load, outcome: LoadOutcome): void {
    if (this.#underWay.get(token) !== load) return
    this.#underWay.delete(token)
    if (load.outcome === 'repeat') this.#line.add(token)
    this.#startNext()
    if (load.outcome === 'tell') this.#options.finished(token, outcome)
  }
}
