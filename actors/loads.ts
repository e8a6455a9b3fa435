import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'

export type LoadOutcome = { readonly ok: true; readonly snapshot: TokenSnapshot | null } | { readonly ok: false; readonly error: unknown }

export interface LoadsOptions {
  /** Reads one token; `null`: it is not indexed. May reject or throw. */
  readonly load: (token: Address) => Promise<TokenSnapshot | null>
  /** Loads that run at once. The others queue, so that a rush of subscribers can't exhaust the database's connections. */
  readonly concurrency: number
  /** A load that takes longer has failed, and the next one takes its place. */
  readonly timeoutMs: number
  readonly now: () => number
  /** Receives the outcome of a load that was neither cancelled nor requested again meanwhile. Never called from inside `request`. */
  readonly onLoaded: (token: Address, outcome: LoadOutcome) => void
}

/** Loads tokens from the database: one load per token at a time, a bounded number in all, first come first served. */
export interface Loads {
  readonly pending: number
  /** Loads the token. During a load of the same token: loads it once more afterwards, since the running one may read an older state. */
  request(token: Address): void
  /** Drops the request. A running load keeps its place until it ends, because the database still works on it. */
  cancel(token: Address): void
  sweep(): void
  stop(): void
}

interface RunningLoad {
  readonly startedAtMs: number
  whenDone: 'report' | 'repeat' | 'discard'
}

/*
 * Not made of `coalesce()`: that runs one task for good, while a load here shares the bound with other tokens, can be cancelled with its
 * place kept, and gives its place up when it times out.
 */
export function createLoads({ load, concurrency, timeoutMs, now, onLoaded }: LoadsOptions): Loads {
  const queue = new Set<Address>()
  const running = new Map<Address, RunningLoad>()

  function startNext(): void {
    for (const token of queue) {
      if (running.size >= concurrency) return
      queue.delete(token)
      const started: RunningLoad = { startedAtMs: now(), whenDone: 'report' }
      running.set(token, started)
      // In a later microtask: `load` may throw at once, and `request` has to return before `onLoaded` is called.
      void Promise.resolve()
        .then(() => load(token))
        .then(
          snapshot => finish(token, started, { ok: true, snapshot }),
          (error: unknown) => finish(token, started, { ok: false, error }),
        )
    }
  }

  function finish(token: Address, ended: RunningLoad, outcome: LoadOutcome): void {
    if (running.get(token) !== ended) return
    running.delete(token)
    if (ended.whenDone === 'repeat') queue.add(token)
    startNext()
    if (ended.whenDone === 'report') onLoaded(token, outcome)
  }

  return {
    get pending() {
      return queue.size + running.size
    },
    request(token) {
      const current = running.get(token)
      if (current !== undefined) current.whenDone = 'repeat'
      else {
        queue.add(token)
        startNext()
      }
    },
    cancel(token) {
      queue.delete(token)
      const current = running.get(token)
      if (current !== undefined) current.whenDone = 'discard'
    },
    sweep() {
      const late = [...running].filter(([, { startedAtMs }]) => now() - startedAtMs >= timeoutMs)
      for (const [token, timedOut] of late) finish(token, timedOut, { ok: false, error: new Error('the load timed out') })
    },
    stop() {
      queue.clear()
      running.clear()
    },
  }
}
