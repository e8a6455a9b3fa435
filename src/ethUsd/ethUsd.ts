import type { Logger } from 'pino'
import { systemClock } from '#clock'
import { TokenwireError } from '#errors'
import type { EthUsd, EthUsdPrices, LastEthUsd } from '#resources/ethUsd.ts'
import { askProvider, type PriceAnswer, type PriceProvider, type TextRequest } from './priceProviders.ts'

/** A price that was fetched this recently is returned without calling a provider. */
const FRESH_MS = 60_000
const USABLE_MS = 600_000
/** Prices whose ratio is larger are disputed. */
const MAX_RATIO = 1.05

export interface EthUsdOptions {
  /** In order of preference. */
  readonly providers: readonly PriceProvider[]
  readonly logger: Logger
  /** Receives every new price, and for how many ms it may be used for conversions. */
  readonly onPrice: (price: string, usableMs: number) => void
  /** Milliseconds since the epoch; must not go back. Default: the monotonic clock. */
  readonly now?: () => number
  /** Milliseconds since the epoch, for comparison with the providers' times. Default: the machine's clock. */
  readonly epochMs?: () => number
  /** Calls back once after this many ms; returns a function that cancels. Default: a timer that does not keep the process alive. */
  readonly schedule?: (callback: () => void, ms: number) => () => void
  /** A signal that aborts after this many ms. Default: `AbortSignal.timeout`. */
  readonly timeout?: (ms: number) => AbortSignal
}

export interface EthUsdFeed extends Omit<EthUsdPrices, 'pooled'> {
  start(): void
  /** Stops for good and ends the request in flight. */
  stop(): Promise<void>
}

/** Asks the providers in order; the first one with a current price counts. Prices are USD per ETH as plain decimals. */
export function createEthUsd(options: EthUsdOptions): EthUsdFeed {
  const { logger, onPrice, now = systemClock.nowMs, schedule = scheduleUnref, timeout = ms => AbortSignal.timeout(ms) } = options
  const { epochMs = systemClock.epochMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const providers = options.providers.map(provider => createPatientProvider(provider, { logger, now, epochMs, timeout, signal }))
  let quote: Quote | null = null
  let disputed: LastEthUsd['disputed'] = null
  let lastRenewalFailed = false
  let renewing: Promise<void> | null = null
  let comparing: Promise<void> | null = null
  let cancelTimer = () => {}

  async function renew(): Promise<void> {
    for (const [at, provider] of providers.entries()) {
      const answer = await provider.ask()
      if (signal.aborted) return
      if (answer === null) continue
      if (isCurrent(answer) || answer.pricedAtMs > (usable()?.pricedAtMs ?? now() - USABLE_MS)) {
        quote = answer
        onPrice(answer.price, USABLE_MS - ageMs(answer))
      }
      if (!isCurrent(answer)) continue
      lastRenewalFailed = false
      comparing ??= compare(answer, providers.slice(at + 1)).finally(() => {
        comparing = null
      })
      return
    }
    lastRenewalFailed = true
  }

  /** Compares with the next provider that answers. Callers do not wait for it. */
  async function compare(mine: Quote, others: readonly PatientProvider[]): Promise<void> {
    for (const provider of others) {
      const other = await provider.ask()
      if (other === null || !isCurrent(other)) continue
      const [low = 0, high = 0] = [Number(mine.price), Number(other.price)].toSorted((a, b) => a - b)
      const isApart = high / low > MAX_RATIO
      const { price, source } = other
      if (isApart && disputed === null)
        logger.warn({ source: mine.source, price: mine.price, other: source, otherPrice: price }, 'ETH/USD providers disagree')
      disputed = isApart ? { price, source } : null
      return
    }
    disputed = null
  }

  const renewOnce = () =>
    (renewing ??= renew().finally(() => {
      renewing = null
    }))

  const ageMs = ({ pricedAtMs }: Quote) => now() - pricedAtMs
  const usable = (): Quote | null => (quote !== null && ageMs(quote) < USABLE_MS ? quote : null)
  const isFresh = () => quote !== null && !lastRenewalFailed && now() - quote.fetchedAtMs < FRESH_MS
  const toEthUsd = (shown: Quote): EthUsd => ({
    price: shown.price,
    currency: 'USD',
    source: shown.source,
    fetchedAt: new Date(shown.fetchedAtMs).toISOString(),
    ageSeconds: Math.floor(ageMs(shown) / 1_000),
    stale: lastRenewalFailed,
  })

  function retryMs(): number {
    const soonest = Math.min(...providers.map(({ pausedUntilMs }) => pausedUntilMs)) - now()
    return Math.min(Math.max(soonest, FIRST_BACKOFF_MS), MAX_BACKOFF_MS)
  }

  async function keepFresh(): Promise<void> {
    if (!isFresh()) await renewOnce()
    if (signal.aborted) return
    cancelTimer = schedule(() => void keepFresh(), quote !== null && isFresh() ? FRESH_MS - (now() - quote.fetchedAtMs) : retryMs())
  }

  return {
    get: async () => {
      if (!isFresh()) await renewOnce()
      const shown = usable()
      if (shown !== null) return toEthUsd(shown)
      throw new TokenwireError('price_unavailable', 'no provider gives an ETH/USD price', { retryable: true })
    },
    ethUsd: () => usable()?.price ?? null,
    last: () => (quote === null ? null : { ...toEthUsd(quote), disputed }),
    start: () => void keepFresh(),
    stop: async () => {
      cancelTimer()
      stopping.abort()
      await renewing
      await comparing
    },
  }
}

function scheduleUnref(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms).unref()
  return () => clearTimeout(timer)
}

/** Times by the clock `now`, in ms. */
interface Quote extends Pick<EthUsd, 'price' | 'source'> {
  readonly fetchedAtMs: number
  /** When the provider made the price. */
  readonly pricedAtMs: number
}

/** Providers make a price every minute or more often. One whose price is older than this counts as failing. */
const MAX_AGE_MS = 300_000
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000

export interface PatientProviderOptions extends Pick<TextRequest, 'timeout' | 'signal'> {
  readonly logger: Logger
  /** Must not go back. */
  readonly now: () => number
  /** As `askProvider`. */
  readonly epochMs: () => number
}

/** A provider that is asked ever less often while it fails. */
interface PatientProvider {
  /** Until then it is not asked, by the clock of `now`. */
  readonly pausedUntilMs: number
  /** `null`: it failed, or it is paused. A price that is too old is a failure, too, and may still be of use. Never rejects. */
  ask(): Promise<Quote | null>
}

function createPatientProvider(provider: PriceProvider, { logger, now, epochMs, ...request }: PatientProviderOptions): PatientProvider {
  const { signal } = request
  const { source } = provider
  let failures = 0
  let pausedUntilMs = 0

  function note(answer: PriceAnswer): void {
    const reason = reasonOf(answer)
    if (reason === null) {
      if (failures > 0) logger.info({ source }, 'ETH/USD provider answers again')
      failures = pausedUntilMs = 0
      return
    }
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10), MAX_BACKOFF_MS)
    const pauseMs = Math.max(backoffMs, answer.kind === 'price' ? 0 : (answer.waitMs ?? 0))
    logger[failures === 0 ? 'warn' : 'debug']({ source, reason, pauseMs }, 'ETH/USD provider fails')
    failures++
    pausedUntilMs = now() + pauseMs
  }

  return {
    get pausedUntilMs() {
      return pausedUntilMs
    },
    async ask() {
      if (signal.aborted || pausedUntilMs > now()) return null
      const answer = await askProvider(provider, request, epochMs)
      // An aborted request says nothing about the provider.
      if (signal.aborted) return null
      note(answer)
      if (answer.kind === 'failure') return null
      return { price: answer.price, source: answer.source, fetchedAtMs: now(), pricedAtMs: now() - answer.ageMs }
    },
  }
}

/** Whether a price was recent when it was fetched. */
function isCurrent({ fetchedAtMs, pricedAtMs }: Quote): boolean {
  return fetchedAtMs - pricedAtMs < MAX_AGE_MS
}

/** Why an answer counts as a failure; `null`: it does not. */
function reasonOf(answer: PriceAnswer): string | null {
  if (answer.kind === 'failure') return answer.reason
  return answer.ageMs < MAX_AGE_MS ? null : `a price that is ${Math.floor(answer.ageMs / 1_000)} s old`
}
