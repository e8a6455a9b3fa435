import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import { jitteredMs } from './backoff.ts'
import type { Calls } from './calls.ts'
import type { Timers } from './clock.ts'

/** As many as one request may name. */
const BATCH = 100

const LONGEST_POLL_MS = 60_000

/** Clients that lost the same server ask it for everything within this time rather than at once. */
const SPREAD_MS = 5_000

export interface ReconcilerOptions {
  readonly calls: Pick<Calls, 'tokens'>
  readonly timers: Timers
  readonly random: () => number
  readonly reconcileMs: number
  readonly pollMs: number
  /** Everything that is watched. */
  readonly watched: () => Iterable<Address>
  /** What nothing else brings at the moment. */
  readonly unserved: () => readonly Address[]
  /** Nobody looks: what is only a second opinion can wait. */
  readonly isHidden: () => boolean
  readonly onToken: (token: Token) => void
  readonly onPolled: (ok: boolean) => void
  readonly onError: (error: unknown) => void
}

/** Compares what is held with REST: a hundred tokens per request, one request at a time. */
export class Reconciler {
  readonly #options: ReconcilerOptions
  readonly #due = new Set<Address>()
  #isRunning = false
  /** Runs in a row that failed. */
  #failures = 0
  #isPeriodic = false
  #cancelPoll: (() => void) | null = null
  #isSoon = false

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** Begins the periods, which end by themselves when nothing is watched. */
  start(): void {
    const { timers, random, reconcileMs, watched, isHidden } = this.#options
    if (this.#isPeriodic) return
    this.#isPeriodic = true
    timers.after(jitteredMs(reconcileMs, random), () => {
      this.#isPeriodic = false
      const tokens = [...watched()]
      if (tokens.length === 0) return
      this.start()
      if (!isHidden()) void this.#run(tokens)
    })
  }

  /** Within some seconds; `spreadMs` 0: now. */
  soon(tokens: Iterable<Address>, spreadMs = SPREAD_MS): void {
    for (const token of tokens) this.#due.add(token)
    const { timers, random } = this.#options
    if (this.#due.size === 0 || this.#isSoon) return
    this.#isSoon = true
    timers.after(random() * spreadMs, () => {
      this.#isSoon = false
      void this.#run([])
    })
  }

  /** Begins or ends asking for what is unserved every few seconds. */
  poll(isOn: boolean): void {
    if (!isOn) this.#cancelPoll?.()
    if (!isOn) this.#cancelPoll = null
    else if (this.#cancelPoll === null) this.#pollAfter(0)
  }

  #pollAfter(ms: number): void {
    const { timers, random, pollMs, unserved, isHidden, onPolled } = this.#options
    this.#cancelPoll = timers.after(ms, () => {
      // A server that is down is asked ever less often.
      this.#pollAfter(jitteredMs(Math.min(pollMs * 2 ** this.#failures, LONGEST_POLL_MS), random))
      const tokens = isHidden() ? [] : unserved()
      if (tokens.length > 0) void this.#run(tokens).then(ok => ok !== null && onPolled(ok))
    })
  }

  /** Whether all of it worked; `null`: another run is under way and takes it along. */
  async #run(tokens: readonly Address[]): Promise<boolean | null> {
    const { calls, onToken, onError } = this.#options
    for (const token of tokens) this.#due.add(token)
    if (this.#isRunning) return null
    this.#isRunning = true
    try {
      while (this.#due.size > 0) {
        const addresses = [...this.#due].slice(0, BATCH)
        for (const address of addresses) this.#due.delete(address)
        const result = await calls.tokens({ addresses, limit: BATCH }, { retries: 1 })
        if (!result.ok) {
          this.#due.clear()
          this.#failures = Math.min(this.#failures + 1, 8)
          if (result.error.code !== 'closed') onError(result.error)
          return false
        }
        for (const token of result.value.data) onToken(token)
      }
      this.#failures = 0
      return true
    } finally {
      this.#isRunning = false
    }
  }
}
