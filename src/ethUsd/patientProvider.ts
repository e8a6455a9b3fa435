import type { Logger } from 'pino'
import type { EthUsd } from '#resources/ethUsd.ts'
import { askProvider, type PriceAnswer } from './askProvider.ts'
import type { PriceProvider } from './priceProviders.ts'
import type { TextRequest } from './requestText.ts'

/** Times by the clock `now`, in ms. */
export interface Quote extends Pick<EthUsd, 'price' | 'source'> {
  readonly fetchedAtMs: number
  /** When the provider made the price. */
  readonly pricedAtMs: number
}

/** Providers make a price every minute or more often. One whose price is older than this counts as failing. */
const MAX_AGE_MS = 300_000
export const FIRST_BACKOFF_MS = 1_000
export const MAX_BACKOFF_MS = 60_000

export interface PatientProviderOptions extends Pick<TextRequest, 'timeout' | 'signal'> {
  readonly logger: Logger
  /** Must not go back. */
  readonly now: () => number
  /** As `askProvider`. */
  readonly epochMs: () => number
}

/** A provider that is asked ever less often while it fails. */
export interface PatientProvider {
  /** Until then it is not asked, by the clock of `now`. */
  readonly pausedUntilMs: number
  /** `null`: it failed, or it is paused. A price that is too old is a failure, too, and may still be of use. Never rejects. */
  ask(): Promise<Quote | null>
}

export function createPatientProvider(
  provider: PriceProvider,
  { logger, now, epochMs, ...request }: PatientProviderOptions,
): PatientProvider {
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
export function isCurrent({ fetchedAtMs, pricedAtMs }: Quote): boolean {
  return fetchedAtMs - pricedAtMs < MAX_AGE_MS
}

/** Why an answer counts as a failure; `null`: it does not. */
function reasonOf(answer: PriceAnswer): string | null {
  if (answer.kind === 'failure') return answer.reason
  return answer.ageMs < MAX_AGE_MS ? null : `a price that is ${Math.floor(answer.ageMs / 1_000)} s old`
}
