import { parseRetryAfter } from '#async/retryAfter.ts'
import { plainDecimal } from './plainDecimal.ts'
import type { PriceProvider } from './priceProvider.ts'
import { requestText } from './requestText.ts'

export type PriceAnswer =
  | { readonly ok: true; readonly price: string }
  /** `waitMs`: how long the provider asks to be left alone; `null` when it says nothing. */
  | { readonly ok: false; readonly reason: string; readonly waitMs: number | null }

export interface AskOptions {
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  readonly timeout: (ms: number) => AbortSignal
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const MOST_BYTES = 64 * 1024
/** USD per ETH. What is outside is another thing than the price of an ether, whoever says it. */
const LEAST_PRICE = 1
const MOST_PRICE = 10_000_000
/** CoinGecko counts calls by the minute. */
const RATE_LIMIT_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 3_600_000

/** Asks one provider once. Never rejects; the reason of a failure holds no part of the address, the headers or the answer. */
export async function askProvider(provider: PriceProvider, { now, ...request }: AskOptions): Promise<PriceAnswer> {
  const answer = await requestText({ url: provider.url, headers: provider.headers, mostBytes: MOST_BYTES, ...request })
  if (!answer.ok) return { ok: false, reason: answer.reason, waitMs: waitMs(answer.status, answer.retryAfter, now()) }
  const text = provider.readPrice(parseWithNumberTexts(answer.text))
  if (text === null) return { ok: false, reason: 'an answer without a price', waitMs: null }
  const price = plainDecimal(text)
  if (price === null || !(Number(price) >= LEAST_PRICE && Number(price) <= MOST_PRICE)) {
    return { ok: false, reason: 'an answer with an impossible price', waitMs: null }
  }
  return { ok: true, price }
}

/** The JSON's value with every number as the text that stands in it, so that no digit is lost; `undefined` when it is no JSON. */
function parseWithNumberTexts(text: string): unknown {
  // The third argument is newer than TypeScript's own declaration: https://github.com/tc39/proposal-json-parse-with-source
  const parse = JSON.parse as (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown
  try {
    return parse(text, (_, value, { source }) => (typeof value === 'number' ? source : value))
  } catch {
    return undefined
  }
}

/** How long the provider asks not to be called; `null` when it does not ask. */
function waitMs(status: number | null, retryAfter: string | null, now: number): number | null {
  if (status !== 429 && status !== 503) return null
  const askedMs = parseRetryAfter(retryAfter, now)
  if (askedMs !== null) return Math.min(askedMs, LONGEST_WAIT_MS)
  return status === 429 ? RATE_LIMIT_WAIT_MS : null
}
