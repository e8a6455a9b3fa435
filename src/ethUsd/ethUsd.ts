import type { Logger } from 'pino'
import { systemClock } from '#clock'
import { TokenwireError } from '#errors'
import type { EthUsd, EthUsdPrices } from '#resources/ethUsd.ts'
import { askProvider } from './askProvider.ts'
import type { PriceProvider } from './priceProviders.ts'

/** A price younger than this is returned without calling a provider. */
const FRESH_MS = 60_000
const USABLE_MS = 600_000
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000

export interface EthUsdOptions {
  /** In order of preference. */
  readonly providers: readonly PriceProvider[]
  readonly logger: Logger
  /** Receives every new price, and for how many ms it may be used for conversions. */
  readonly onPrice: (price: string, usableMs: number) => void
  /** Milliseconds since the epoch; must not go back. Default: the monotonic clock. */
  readonly now?: () => number
  /** Calls back once after this many ms; returns a function that cancels. Default: a timer that does not keep the process alive. */
  readonly schedule?: (callback: () => void, ms: number) => () => void
  /** A signal that aborts after this many ms. Default: `AbortSignal.timeout`. */
  readonly timeout?: (ms: number) => AbortSignal
}

export interface EthUsdFeed extends EthUsdPrices {
  start(): void
  /** Stops for good and ends the request in flight. */
  stop(): Promise<void>
}

type Quote = Pick<EthUsd, 'price' | 'source'> & { readonly fetchedAtMs: number }

export function createEthUsd(options: EthUsdOptions): EthUsdFeed {
  const { logger, onPrice, now = systemClock.nowMs, schedule = scheduleUnref, timeout = ms => AbortSignal.timeout(ms) } = options
  const states = options.providers.map(provider => ({ provider, failures: 0, pausedUntilMs: 0 }))
  const stopping = new AbortController()
  const { signal } = stopping
  let quote: Quote | null = null
  let lastRenewalFailed = false
  let renewing: Promise<void> | null = null
  let cancelTimer = () => {}

  async function renew(): Promise<void> {
    for (const state of states) {
      if (signal.aborted || state.pausedUntilMs > now()) continue
      const { source } = state.provider
      const answer = await askProvider(state.provider, { timeout, signal }, now)
      // A request that `stop` aborted says nothing about the provider.
      if (signal.aborted) return
      if (answer.ok) {
        if (state.failures > 0) logger.info({ source }, 'ETH/USD provider answers again')
        Object.assign(state, { failures: 0, pausedUntilMs: 0 })
        quote = { price: answer.price, source: answer.source, fetchedAtMs: now() }
        lastRenewalFailed = false
        onPrice(answer.price, USABLE_MS)
        return
      }
      const pauseMs = Math.max(backoffMs(state.failures), answer.waitMs ?? 0)
      logger[state.failures === 0 ? 'warn' : 'debug']({ source, reason: answer.reason, pauseMs }, 'ETH/USD provider fails')
      Object.assign(state, { failures: state.failures + 1, pausedUntilMs: now() + pauseMs })
    }
    lastRenewalFailed = true
  }

  const renewOnce = () =>
    (renewing ??= renew().finally(() => {
      renewing = null
    }))

  const toEthUsd = ({ price, source, fetchedAtMs }: Quote, stale: boolean): EthUsd => ({
    price,
    currency: 'USD',
    source,
    fetchedAt: new Date(fetchedAtMs).toISOString(),
    ageSeconds: Math.floor((now() - fetchedAtMs) / 1_000),
    stale,
  })
  const ageMs = () => (quote === null ? Number.POSITIVE_INFINITY : now() - quote.fetchedAtMs)
  const youngerThan = (ms: number): Quote | null => (ageMs() < ms ? quote : null)

  function retryMs(): number {
    const soonest = Math.min(...states.map(state => state.pausedUntilMs)) - now()
    return Math.min(Math.max(soonest, FIRST_BACKOFF_MS), MAX_BACKOFF_MS)
  }

  async function keepFresh(): Promise<void> {
    if (youngerThan(FRESH_MS) === null) await renewOnce()
    if (signal.aborted) return
    cancelTimer = schedule(() => void keepFresh(), youngerThan(FRESH_MS) === null ? retryMs() : FRESH_MS - ageMs())
  }

  return {
    get: async () => {
      if (youngerThan(FRESH_MS) === null) await renewOnce()
      const fresh = youngerThan(FRESH_MS)
      if (fresh !== null) return toEthUsd(fresh, false)
      const usable = youngerThan(USABLE_MS)
      if (usable !== null) return toEthUsd(usable, true)
      throw new TokenwireError('price_unavailable', 'no provider gives an ETH/USD price', { retryable: true })
    },
    ethUsd: () => youngerThan(USABLE_MS)?.price ?? null,
    last: () => (quote === null ? null : toEthUsd(quote, lastRenewalFailed)),
    start: () => void keepFresh(),
    stop: async () => {
      cancelTimer()
      stopping.abort()
      await renewing
    },
  }
}

function backoffMs(earlierFailures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(earlierFailures, 10), MAX_BACKOFF_MS)
}

function scheduleUnref(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms).unref()
  return () => clearTimeout(timer)
}
