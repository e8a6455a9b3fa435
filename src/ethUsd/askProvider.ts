import { z } from 'zod'
import { parseRetryAfter } from '#async/retryAfter.ts'
import type { EthUsdSource } from '#domain/ethUsd.ts'
import { plainDecimal } from './plainDecimal.ts'
import type { PriceProvider } from './priceProviders.ts'
import { requestText, type TextRequest } from './requestText.ts'

export type PriceAnswer =
  /** `ageMs`: since the provider made the price; 0 where it does not say when. */
  | { readonly kind: 'price'; readonly price: string; readonly source: EthUsdSource; readonly ageMs: number }
  /** `waitMs`: how long the provider asks not to be called; `null`: it does not ask. */
  | { readonly kind: 'failure'; readonly reason: string; readonly waitMs: number | null }

const MAX_BYTES = 64 * 1024
/** USD per ETH. A value outside these bounds is not the price of an ether, whatever the provider says. */
const MIN_PRICE = 1
const MAX_PRICE = 10_000_000
/** The wait after a 429 without `Retry-After`: CoinGecko counts calls per minute. */
const RATE_LIMIT_WAIT_MS = 60_000
const MAX_WAIT_MS = 3_600_000
/** What the price server of a development chain adds to its answers. */
const simulated = z.object({ simulated: z.literal(true) })

/**
 * Calls a provider once. Never rejects; the reason of a failure contains no part of the URL, the headers or the answer.
 *
 * @param epochMs the present time, for comparison with the provider's times
 */
export async function askProvider(
  provider: PriceProvider,
  request: Pick<TextRequest, 'timeout' | 'signal'>,
  epochMs: () => number,
): Promise<PriceAnswer> {
  const answer = await requestText({ url: provider.url, headers: provider.headers, maxBytes: MAX_BYTES, ...request })
  if (answer.kind === 'failure')
    return { kind: 'failure', reason: answer.reason, waitMs: waitMs(answer.status, answer.retryAfter, epochMs()) }
  const content = parseKeepingDigits(answer.text)
  const quote = provider.quote.safeParse(content)
  if (!quote.success) return { kind: 'failure', reason: 'an answer without a price', waitMs: null }
  const price = plainDecimal(quote.data.price)
  if (price === null || Number(price) < MIN_PRICE || Number(price) > MAX_PRICE) {
    return { kind: 'failure', reason: 'an answer with an impossible price', waitMs: null }
  }
  const { pricedAtMs } = quote.data
  // The clocks may differ by a little, and a time that is to come is no age.
  const ageMs = pricedAtMs === null ? 0 : Math.max(0, epochMs() - pricedAtMs)
  return { kind: 'price', price, source: simulated.safeParse(content).success ? 'simulated' : provider.source, ageMs }
}

/** Parses JSON with every number as a string of its original digits, so that none is lost; `undefined`: the text is not JSON. */
function parseKeepingDigits(text: string): unknown {
  // TypeScript's declaration lacks the third argument: https://github.com/tc39/proposal-json-parse-with-source
  const parse = JSON.parse as (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown
  try {
    return parse(text, (_, value, { source }) => (typeof value === 'number' ? source : value))
  } catch {
    return undefined
  }
}

function waitMs(status: number | null, retryAfter: string | null, nowMs: number): number | null {
  if (status !== 429 && status !== 503) return null
  const askedMs = parseRetryAfter(retryAfter, nowMs)
  if (askedMs !== null) return Math.min(askedMs, MAX_WAIT_MS)
  return status === 429 ? RATE_LIMIT_WAIT_MS : null
}
