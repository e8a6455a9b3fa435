import type { HeaderField } from './answer.ts'

/** Headers of answers, which are no pages: browsers must not sniff them into one, run anything in them or frame them. */
const SECURITY_HEADERS: readonly HeaderField[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
]

/**
 * The policy of the console and of `/docs`, in place of the one above. A page may load its own scripts, styles and images, and connect to
 * its own origin (`'self'` includes ws: and wss:). Inline scripts, `eval`, markup made of strings, forms, frames and other origins are
 * forbidden.
 */
export const PAGE_POLICY: HeaderField = [
  'Content-Security-Policy',
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
]

const EXPOSED_HEADERS = 'ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id'

/**
 * The headers of every answer. A page of an origin that is not allowed gets the same answer without the CORS headers, and its browser
 * withholds it: the data is public, and the request is valid. Preflights, event streams and WebSocket upgrades of such a page are refused
 * instead.
 *
 * @param reader the origin that may read; `*`: all may, whatever the request says; `''`: no page
 */
export function commonHeaders(requestId: string, reader: string): readonly HeaderField[] {
  const vary = reader === '*' ? 'Accept-Encoding' : 'Origin, Accept-Encoding'
  const headers: HeaderField[] = [['X-Request-Id', requestId], ...SECURITY_HEADERS, ['Vary', vary]]
  if (reader === '') return headers
  return [...headers, ['Access-Control-Allow-Origin', reader], ['Access-Control-Expose-Headers', EXPOSED_HEADERS]]
}

/**
 * Whether an answer with these headers is for its client alone: it says what is left to that client, or whether its page may read it. Many
 * shared caches ignore `Vary: Origin`.
 */
export function isForOneClient(headers: readonly HeaderField[]): boolean {
  return headers.some(([name, value]) => name.startsWith('RateLimit-') || (name === 'Vary' && value.includes('Origin')))
}

/** The headers of a file of the console, which only pages of its own origin load: they are the same for every client. */
export function withoutOrigin(headers: readonly HeaderField[]): readonly HeaderField[] {
  return headers
    .filter(([name]) => !name.startsWith('Access-Control-'))
    .map(([name, value]) => (name === 'Vary' ? ['Vary', 'Accept-Encoding'] : [name, value]))
}

const KNOWN_HEADERS = 'Authorization, Cache-Control, Content-Type, If-None-Match, Last-Event-ID, X-Api-Key, X-Request-Id'
/** A list of header names. Any other text is not repeated in an answer. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/

/**
 * The answer to a preflight of an allowed origin. It may send any header: tracers and gateways add their own (`traceparent`, `baggage`,
 * `sentry-trace`), and the service ignores what it does not know. `*` would not cover `Authorization`.
 *
 * @param requested the names in `Access-Control-Request-Headers`; `''`: none
 * @param allowed the methods of the path
 */
export function preflightHeaders(requested: string, allowed: string): readonly HeaderField[] {
  return [
    ['Allow', allowed],
    ['Access-Control-Allow-Methods', allowed],
    ['Access-Control-Allow-Headers', HEADER_NAMES.test(requested) ? `${KNOWN_HEADERS}, ${requested}` : KNOWN_HEADERS],
    ['Access-Control-Max-Age', '7200'],
    ['Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'],
  ]
}

/** Headers that keep proxies from compressing or buffering a stream: `no-transform` is for most, `X-Accel-Buffering` for nginx. */
export const EVENT_STREAM_HEADERS: readonly HeaderField[] = [
  ['Content-Type', 'text/event-stream'],
  ['Cache-Control', 'private, no-cache, no-transform'],
  ['X-Accel-Buffering', 'no'],
]
