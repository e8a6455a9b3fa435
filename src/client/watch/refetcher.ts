import { coalesce } from '#async/coalesce.ts'
import { isHidden } from '#client/browserPage.ts'
import { type ClientError, unwrap } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import type { RestApi } from '#client/generated/restMethods.ts'
import type { Token } from '#client/generated/types.ts'
import { pollMs, Timer } from '#client/timers.ts'
import type { Address } from '#domain/address.ts'

/** Addresses per request: servers answer 505 to some request lines that take more than one TCP segment (decision 0026). */
const BATCH = 20

/** How often all watched tokens are fetched, a quarter more or less: a stream may have missed a state. */
const REFETCH_MS = 60_000

/** How often tokens without a stream are fetched. */
const POLL_MS = 5_000

/** Clients that lost the same server spread their requests over this time after they reconnected. */
const SPREAD_MS = 5_000

export interface RefetcherEvents {
  readonly watchedTokens: () => Iterable<Address>
  readonly tokensWithoutStream: () => readonly Address[]
  readonly onToken: (token: Token) => void
  /** Everything that was due is fetched, or a request failed. */
  readonly onFetched: (isSuccess: boolean) => void
}

/** Fetches the state of watched tokens over REST, in batches, one request at a time. A hidden page fetches nothing periodically. */
export interface Refetcher {
  /** Starts the period, which ends by itself when nothing is watched. */
  start(): void
  soon(tokens: Iterable<Address>, spreadMs?: number): void
  poll(isOn: boolean): void
}

export function createRefetcher(
  { timers, random, onError }: ClientContext,
  api: Pick<RestApi, 'tokens'>,
  { watchedTokens, tokensWithoutStream, onToken, onFetched }: RefetcherEvents,
): Refetcher {
  const due = new Set<Address>()
  let failures = 0
  const periodTimer = new Timer(timers)
  const spreadTimer = new Timer(timers)
  const pollTimer = new Timer(timers)
  const runs = coalesce<void>(fetchDue, error => {
    due.clear()
    failures++
    if ((error as ClientError).code !== 'closed') onError(error)
    onFetched(false)
  })

  async function fetchDue(): Promise<void> {
    // The previous run fetched these tokens, too, or it failed.
    if (due.size === 0) return
    while (due.size > 0) {
      const addresses = [...due].slice(0, BATCH)
      for (const address of addresses) due.delete(address)
      const { data } = unwrap(await api.tokens({ addresses, limit: BATCH }, { retries: 1 }))
      for (const token of data) onToken(token)
    }
    failures = 0
    onFetched(true)
  }

  function fetch(tokens: readonly Address[]): void {
    for (const token of tokens) due.add(token)
    if (due.size > 0) runs.request()
  }

  function pollAfter(ms: number): void {
    pollTimer.start(ms, () => {
      pollAfter(pollMs(POLL_MS, random, failures))
      if (!isHidden()) fetch(tokensWithoutStream())
    })
  }

  function start(): void {
    if (periodTimer.isRunning) return
    periodTimer.start(pollMs(REFETCH_MS, random), () => {
      const tokens = [...watchedTokens()]
      if (tokens.length === 0) return
      start()
      if (!isHidden()) fetch(tokens)
    })
  }

  return {
    start,
    soon(tokens, spreadMs = SPREAD_MS) {
      for (const token of tokens) due.add(token)
      if (due.size > 0) spreadTimer.start(random() * spreadMs, () => fetch([]))
    },
    poll(isOn) {
      if (!isOn) pollTimer.stop()
      else if (!pollTimer.isRunning) pollAfter(0)
    },
  }
}
