import { z } from 'zod'
import { fetchFailure } from '#async/connecting.ts'
import { parseRetryAfter } from '#async/retryAfter.ts'
import type { Config } from '#config'
import type { EthUsdSource } from '#resources/ethUsd.ts'

export interface PriceProvider {
  readonly source: EthUsdSource
  readonly url: string
  /** May hold an API key. */
  readonly headers: Readonly<Record<string, string>>
  /** Reads the quote out of an answer in which every JSON number is a string with its original digits. */
  readonly quote: z.ZodType<ProvidersQuote>
}

export interface ProvidersQuote {
  readonly price: string
  /** Milliseconds since the epoch: when the price was made, by the provider. `null`: it does not say. */
  readonly pricedAtMs: number | null
}

const PRO_HOST = 'pro-api.coingecko.com'

const unixSeconds = z.coerce.number().positive().nullable().catch(null)

const simplePrice = z
  .object({ ethereum: z.object({ usd: z.string(), last_updated_at: unixSeconds }) })
  .transform(({ ethereum: { usd, last_updated_at } }) => ({
    price: usd,
    pricedAtMs: last_updated_at === null ? null : last_updated_at * 1_000,
  }))

/**
 * CoinGecko's simple price. The header of the API key depends on the host.
 *
 * Source: https://docs.coingecko.com/reference/simple-price and https://docs.coingecko.com/reference/authentication
 */
export function coingecko({ coingeckoUrl, coingeckoApiKey }: Pick<Config, 'coingeckoUrl' | 'coingeckoApiKey'>): PriceProvider {
  const header = new URL(coingeckoUrl).hostname === PRO_HOST ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key'
  return {
    source: 'coingecko',
    url: `${coingeckoUrl}/api/v3/simple/price?ids=ethereum&vs_currencies=usd&include_last_updated_at=true`,
    headers: coingeckoApiKey === null ? {} : { [header]: coingeckoApiKey },
    quote: simplePrice,
  }
}

const spotPrice = z
  .object({ data: z.object({ amount: z.string(), base: z.literal('ETH'), currency: z.literal('USD') }) })
  .transform(({ data }) => ({ price: data.amount, pricedAtMs: null }))

/** Coinbase's spot price. Source: https://docs.cdp.coinbase.com/coinbase-app/docs/api-prices */
export function coinbase({ coinbaseUrl }: Pick<Config, 'coinbaseUrl'>): PriceProvider {
  return { source: 'coinbase', url: `${coinbaseUrl}/v2/prices/ETH-USD/spot`, headers: {}, quote: spotPrice }
}

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

/** More than any price needs; keeps an exponent such as `1e999` from expanding into a huge string. */
const MAX_DIGITS = 40

/**
 * Writes a JSON number's text without an exponent, keeping every digit: `3012.44` stays, `3.01244e3` becomes `3012.44`.
 *
 * @returns `null` for a text that is no JSON number, a negative number, and a number of more than 40 digits
 */
export function plainDecimal(text: string): string | null {
  const match = /^(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (match === null) return null
  const [, whole = '', fraction = '', exponent] = match
  if (whole.length + fraction.length + Math.abs(Number(exponent ?? 0)) > MAX_DIGITS) return null
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const padded = point > 0 ? digits.padEnd(point, '0') : digits.padStart(digits.length + 1 - point, '0')
  const at = Math.max(point, 1)
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const rest = padded.slice(at)
  return rest === '' ? integer : `${integer}.${rest}`
}

/** An answer's text, or the reason of a failure, which contains no part of the request or the answer. */
export type TextAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failure'; readonly reason: string; readonly status: number | null; readonly retryAfter: string | null }

export interface TextRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeout: (ms: number) => AbortSignal
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const MAX_REDIRECTS = 2
/** The time limit for the connection, all redirects and the body. */
const TIMEOUT_MS = 3_000

/** Fetches a small text. Follows redirects within the origin only, since the headers may hold an API key. Never rejects. */
async function requestText(request: TextRequest): Promise<TextAnswer> {
  const timeout = request.timeout(TIMEOUT_MS)
  try {
    return await follow(request, AbortSignal.any([timeout, request.signal]))
  } catch (error) {
    return failure(timeout.aborted ? `no answer within ${TIMEOUT_MS} ms` : noConnection(error))
  }
}

async function follow({ url, headers, maxBytes }: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
  let target = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(target, { headers: { accept: 'application/json', ...headers }, redirect: 'manual', signal })
    if (response.status < 300 || response.status > 399) return read(response, maxBytes)
    await response.body?.cancel()
    const header = response.headers.get('location')
    const location = header === null ? null : URL.parse(header, target)
    if (location === null) return failure(`status ${response.status} without a location`)
    if (location.origin !== new URL(target).origin) return failure('a redirect to another origin')
    target = location.href
  }
  return failure('too many redirects')
}

async function read(response: Response, maxBytes: number): Promise<TextAnswer> {
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    return {
      kind: 'failure',
      reason: `status ${response.status}`,
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
    }
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop early cancels the body, which closes the connection.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return failure(`an answer of more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return { kind: 'text', text: Buffer.concat(chunks).toString('utf8') }
}

function failure(reason: string): TextAnswer {
  return { kind: 'failure', reason, status: null, retryAfter: null }
}

function noConnection(error: unknown): string {
  const why = fetchFailure(error)
  return why === null ? 'no connection' : `no connection (${why})`
}
