import type { Logger } from 'pino'
import type { EthUsd, EthUsdSource } from '#domain/ethUsd.ts'
import { TokenwireError } from '#errors'
import { askProvider } from './askProvider.ts'
import type { PriceProvider } from './priceProvider.ts'

/** A price younger than this is answered without asking anybody. */
const LIFETIME_MS = 60_000
/** A price older than this is not shown, even when there is no other. */
const LONGEST_LIFE_MS = 600_000
const TIMEOUT_MS = 3_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

export interface EthUsdOptions {
  /** In the order in which they are asked. */
  readonly providers: readonly PriceProvider[]
  readonly logger: Logger
  /** Told of every new price and for how many ms it may be converted with, as `ethUsd` does. */
  readonly onPrice?: (price: string, lifeMs: number) => void
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds since the epoch; must not go back. Default: the time of the start and the monotonic clock. */
  readonly now?: () => number
  /** Calls back once after that many milliseconds; the answer cancels. Default: a timer that does not keep the process alive. */
  readonly schedule?: (callback: () => void, ms: number) => () => void
  /** For one provider's whole answer. Default: 3,000. */
  readonly timeoutMs?: number
  /** A signal that aborts after that many milliseconds. Default: `AbortSignal.timeout`. */
  readonly timeout?: (ms: number) => AbortSignal
}

/** How a provider did, without addresses, keys or anything it answered. */
export interface ProviderCondition {
  readonly source: EthUsdSource
  /** Whether its last answer was a price; `null` before the first one. */
  readonly healthy: boolean | null
  readonly lastError: { readonly reason: string; readonly at: string } | null
  /** It is not asked before then. */
  readonly pausedUntil: string | null
}

export interface EthUsdPrices {
  /**
   * The price, less than 60 s old; when the providers fail, an earlier one, less than 10 minutes old and `stale`. However many wait, each provider is asked once.
   *
   * @throws `TokenwireError` `price_unavailable`, retryable, when there is neither
   */
  get(): Promise<EthUsd>
  /** USD per ETH as a plain decimal, less than 10 minutes old, or `null`. Never waits. */
  ethUsd(): string | null
  /** The newest price, however old; `null` before the first one. `stale` when a later attempt to renew it failed. Never waits. */
  last(): EthUsd | null
  providers(): readonly ProviderCondition[]
  /** Asks now and keeps the price young from then on. */
  start(): void
  /** Ends that and whatever request is under way. */
  stop(): Promise<void>
}

interface Quote {
  readonly price: string
  readonly source: EthUsdSource
  readonly fetchedAtMs: number
}

interface ProviderState {
  readonly provider: PriceProvider
  failures: number
  healthy: boolean | null
  lastError: { readonly reason: string; readonly atMs: number } | null
  pausedUntilMs: number
}

export function createEthUsd(options: EthUsdOptions): EthUsdPrices {
  const { logger, fetch = globalThis.fetch, now = sinceStart, schedule = scheduleUnref, timeoutMs = TIMEOUT_MS } = options
  const timeout = options.timeout ?? (ms => AbortSignal.timeout(ms))
  const states = options.providers.map(newState)
  let quote: Quote | null = null
  let failedLast = false
  let flight: Promise<void> | null = null
  let aborter = new AbortController()
  let running = false
  let cancel = () => {}

  const renew = async (): Promise<void> => {
    const { signal } = aborter
    for (const state of states) {
      if (signal.aborted || state.pausedUntilMs > now()) continue
      const answer = await askProvider(state.provider, { fetch, timeoutMs, timeout, signal, now })
      if (signal.aborted) return // a request that we ended ourselves says nothing about the provider
      if (answer.ok) {
        noteSuccess(state, logger)
        quote = { price: answer.price, source: state.provider.source, fetchedAtMs: now() }
        failedLast = false
        options.onPrice?.(answer.price, LONGEST_LIFE_MS)
        return
      }
      noteFailure(state, answer, now(), logger)
    }
    failedLast = true
  }

  const renewOnce = (): Promise<void> => {
    flight ??= renew().finally(() => {
      flight = null
    })
    return flight
  }

  const shown = (current: Quote, stale: boolean): EthUsd => ({
    price: current.price,
    currency: 'USD',
    source: current.source,
    fetchedAt: new Date(current.fetchedAtMs).toISOString(),
    ageSeconds: Math.floor((now() - current.fetchedAtMs) / 1_000),
    stale,
  })
  const ageMs = () => (quote === null ? Number.POSITIVE_INFINITY : now() - quote.fetchedAtMs)
  const within = (lifeMs: number): Quote | null => (ageMs() < lifeMs ? quote : null)

  const keepYoung = async (signal: AbortSignal): Promise<void> => {
    if (within(LIFETIME_MS) === null) await renewOnce()
    if (signal.aborted) return
    const young = within(LIFETIME_MS) !== null
    cancel = schedule(() => void keepYoung(signal), young ? LIFETIME_MS - ageMs() : pauseMs(states, now()))
  }

  return {
    get: async () => {
      const young = within(LIFETIME_MS)
      if (young !== null) return shown(young, false)
      await renewOnce()
      const renewed = within(LIFETIME_MS)
      if (renewed !== null) return shown(renewed, false)
      const old = within(LONGEST_LIFE_MS)
      if (old !== null) return shown(old, true)
      throw unavailable(states, now())
    },
    ethUsd: () => within(LONGEST_LIFE_MS)?.price ?? null,
    last: () => (quote === null ? null : shown(quote, failedLast)),
    providers: () => states.map(state => conditionOf(state, now())),
    start: () => {
      if (running) return
      running = true
      const { signal } = (aborter = new AbortController())
      void (flight ?? Promise.resolve()).then(() => keepYoung(signal)) // after the end of what a `stop` just before aborted
    },
    stop: async () => {
      running = false
      cancel()
      aborter.abort()
      await flight
    },
  }
}

function newState(provider: PriceProvider): ProviderState {
  return { provider, failures: 0, healthy: null, lastError: null, pausedUntilMs: 0 }
}

function noteSuccess(state: ProviderState, logger: Logger): void {
  if (state.healthy === false) logger.info({ source: state.provider.source }, 'ETH/USD provider answers again')
  state.healthy = true
  state.failures = 0
  state.pausedUntilMs = 0
}

function noteFailure(state: ProviderState, failure: { reason: string; waitMs: number | null }, now: number, logger: Logger): void {
  if (state.healthy !== false) logger.warn({ source: state.provider.source, reason: failure.reason }, 'ETH/USD provider fails')
  state.healthy = false
  state.lastError = { reason: failure.reason, atMs: now }
  const ownPauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(state.failures++, 10), LONGEST_PAUSE_MS)
  state.pausedUntilMs = now + Math.max(ownPauseMs, failure.waitMs ?? 0)
}

/** Until the first provider may be asked again. */
function pauseMs(states: readonly ProviderState[], now: number): number {
  const soonest = Math.min(...states.map(state => state.pausedUntilMs)) - now
  return Math.min(Math.max(soonest, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
}

function conditionOf({ provider, healthy, lastError, pausedUntilMs }: ProviderState, now: number): ProviderCondition {
  return {
    source: provider.source,
    healthy,
    lastError: lastError === null ? null : { reason: lastError.reason, at: new Date(lastError.atMs).toISOString() },
    pausedUntil: pausedUntilMs > now ? new Date(pausedUntilMs).toISOString() : null,
  }
}

function unavailable(states: readonly ProviderState[], now: number): TokenwireError {
  const providers = states.map(state => conditionOf(state, now))
  return new TokenwireError('price_unavailable', 'no provider gives an ETH/USD price', { retryable: true, details: { providers } })
}

const sinceStart = () => performance.timeOrigin + performance.now()

function scheduleUnref(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms).unref()
  return () => clearTimeout(timer)
}
