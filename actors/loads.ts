import type { Address } from '#domain/address.ts'
import { getOrInsert } from '#domain/getOrInsert.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'

export type LoadOutcome = { readonly kind: 'loaded'; readonly snapshot: TokenSnapshot | null } | { readonly kind: 'failed' }

export interface LoadsOptions {
  /** Reads tokens together. Tokens that are not indexed are missing from the answer. May reject or throw. */
  readonly load: (tokens: readonly Address[]) => Promise<readonly TokenSnapshot[]>
  /** The most batches that are read at once: many new subscribers must leave the database's connections to others. */
  readonly concurrency: number
  readonly batchSize: number
  /** The time after which a batch has failed, and the next one takes its place. */
  readonly timeoutMs: number
  readonly now: () => number
  /** Receives the outcome of a load that was neither cancelled nor requested again meanwhile. Never called from inside `request`. */
  readonly onLoaded: (token: Address, outcome: LoadOutcome) => void
  /** Called once for a batch that failed, before the outcomes of its tokens. */
  readonly onFailed: (tokens: readonly Address[], error: unknown) => void
}

/** Loads tokens from the database in batches: one load per token at a time, and a bounded number of batches. */
export interface Loads {
  readonly pending: number
  /** Loads the token. If a load of it is running, it is loaded again afterwards, since the running load may read an older state. */
  request(token: Address): void
  /** Adds a waiting token to the line of a client that waits for it. Clients take turns, however many tokens each one waits for. */
  queueFor(token: Address, client: object): void
  /** Cancels the request. A running load counts until it ends, because the database still works on it. */
  cancel(token: Address): void
  sweep(): void
  stop(): void
}

interface Batch {
  readonly tokens: readonly Address[]
  readonly startedAtMs: number
}

type WhenDone = 'report' | 'repeat' | 'discard'

/*
 * `coalesce()`, which repeats one task, would not do: a load shares a batch with other tokens, and counts after it is cancelled, but not
 * after it has timed out.
 */
export function createLoads({ load, concurrency, batchSize, timeoutMs, now, onLoaded, onFailed }: LoadsOptions): Loads {
  /** Tokens in the order of the requests. */
  const waiting = new Set<Address>()
  /** The clients in the order of their turns, each with the tokens that it waits for. Some may have been loaded for other clients. */
  const lines = new Map<object, Set<Address>>()
  const running = new Map<Address, WhenDone>()
  const batches = new Set<Batch>()
  let isScheduled = false

  /** Starts in a later microtask, so that tokens requested together share a batch, and `onLoaded` is not called from inside `request`. */
  function startSoon(): void {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      startNext()
    })
  }

  function startNext(): void {
    while (batches.size < concurrency && waiting.size > 0) {
      const batch: Batch = { tokens: takeBatch(), startedAtMs: now() }
      batches.add(batch)
      for (const token of batch.tokens) running.set(token, 'report')
      void Promise.resolve()
        .then(() => load(batch.tokens))
        .then(
          snapshots => succeed(batch, snapshots),
          (error: unknown) => fail(batch, error),
        )
    }
  }

  /** Takes half of a batch by the clients' turns, the rest in the order of the requests, so that no token and no client waits forever. */
  function takeBatch(): readonly Address[] {
    const taken: Address[] = []
    const take = (token: Address) => waiting.delete(token) && taken.push(token)
    // A client that is put back is visited again after all others.
    for (const [client, line] of lines) {
      if (taken.length >= batchSize / 2) break
      lines.delete(client)
      for (const token of line) {
        line.delete(token)
        if (take(token)) break
      }
      if (line.size > 0) lines.set(client, line)
    }
    for (const token of waiting) {
      if (taken.length >= batchSize) break
      take(token)
    }
    if (waiting.size === 0) lines.clear()
    return taken
  }

  function succeed(batch: Batch, snapshots: readonly TokenSnapshot[]): void {
    const found = new Map(snapshots.map(snapshot => [snapshot.token.address, snapshot]))
    finish(batch, token => ({ kind: 'loaded', snapshot: found.get(token) ?? null }))
  }

  function fail(batch: Batch, error: unknown): void {
    if (batches.has(batch)) onFailed(batch.tokens, error)
    finish(batch, () => ({ kind: 'failed' }))
  }

  function finish(batch: Batch, outcomeOf: (token: Address) => LoadOutcome): void {
    if (!batches.delete(batch)) return
    const reported: Address[] = []
    for (const token of batch.tokens) {
      const whenDone = running.get(token)
      running.delete(token)
      if (whenDone === 'repeat') waiting.add(token)
      if (whenDone === 'report') reported.push(token)
    }
    startNext()
    for (const token of reported) onLoaded(token, outcomeOf(token))
  }

  return {
    get pending() {
      return waiting.size + running.size
    },
    request(token) {
      if (running.has(token)) running.set(token, 'repeat')
      else {
        waiting.add(token)
        startSoon()
      }
    },
    queueFor(token, client) {
      if (waiting.has(token)) getOrInsert(lines, client, () => new Set()).add(token)
    },
    cancel(token) {
      waiting.delete(token)
      if (running.has(token)) running.set(token, 'discard')
    },
    sweep() {
      const late = [...batches].filter(({ startedAtMs }) => now() - startedAtMs >= timeoutMs)
      for (const batch of late) fail(batch, new Error('the load timed out'))
    },
    stop() {
      waiting.clear()
      lines.clear()
      running.clear()
      batches.clear()
    },
  }
}
