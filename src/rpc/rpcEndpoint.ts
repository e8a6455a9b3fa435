import { Buffer } from 'node:buffer'
import { secretPattern } from '#domain/secretPattern.ts'
import { RpcError, type RpcFault } from './rpcFault.ts'

/** One JSON-RPC call. */
export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface RpcAnswers {
  /** In the order of the calls. */
  readonly results: readonly unknown[]
  /** Set when `results` has the first calls only: why the next call has no answer. */
  readonly refusal: RpcError | null
}

/** The wire to one provider. It retries nothing: every failure is reported at once as an `RpcError`. */
export interface RpcEndpoint {
  /**
   * Sends the calls together: over HTTP in one request.
   *
   * @throws `RpcError` when the calls have no answer as a whole; the signal's reason when it aborts
   */
  send(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcAnswers>
  /**
   * Calls `onHead` at every new head. `null`: this wire can't push.
   *
   * @returns a function that ends the subscription; `onEnd` is called once when the provider ends it instead
   */
  readonly subscribeHeads: ((onHead: () => void, onEnd: () => void) => Promise<() => void>) | null
  /** Closes the connection. Requests in flight are aborted by their own signals. */
  close(): void
}

/** The envelope of an answer, before anything in it is believed. */
export interface RpcEnvelope {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

export function isEnvelope(value: unknown): value is RpcEnvelope {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function hasError(value: unknown): value is RpcEnvelope {
  return isEnvelope(value) && value.error !== undefined && value.error !== null
}

/** @throws `RpcError` when the envelope holds an error or neither result nor error */
export function readResult(
  envelope: RpcEnvelope,
  method: string,
  http: HttpFacts,
  redact: (text: string) => string,
  name: string,
): unknown {
  const { error, result } = envelope
  if (error !== undefined && error !== null) {
    const code = typeof error.code === 'number' ? error.code : 0
    const text = redact(typeof error.message === 'string' ? error.message : typeof error === 'string' ? error : 'no message')
    throw new RpcError(classifyNodeError(method, { code, text }, http), name)
  }
  if (http.status >= 400) throw new RpcError(classifyHttpStatus(http, redact(JSON.stringify(envelope))), name)
  if (result === undefined) throw new RpcError({ kind: 'garbled', what: `${method} answered without a result` }, name)
  return result
}

/** The error of a JSON-RPC answer, text already without secrets. */
export interface NodeError {
  readonly code: number
  readonly text: string
}

/** What HTTP says about an answer; on WebSocket `status` is 200. */
export interface HttpFacts {
  readonly status: number
  readonly retryAfterMs: number | null
}

/** The codes of "too many requests": the HTTP status, and providers' own codes, such as QuickNode's. */
const RATE_LIMIT_CODES = new Set([429, -32005, -32007, -32029, -32090, -32097])
const RATE_LIMIT =
  /rate.?limit|too many requests|requests? (?:per second |count )?(?:limit|exceeded|limited)|compute units|throughput|capacity|credits|quota|try again (?:in|later)|daily (?:limit|request)|usage limit/i
const MISSING =
  /unknown block|header not found|block (?:is )?not found|(?:beyond|past|above|after) (?:the )?(?:current |last |latest |chain )?(?:head|accepted|block)|not (?:yet )?available|could not find block|missing trie node|pruned/i
const REVERTED = /revert|invalid opcode|out of gas|stack (?:under|over)flow/i

/** Codes of refusals that no repetition changes: invalid request, method or parameters (EIP-1474), and geth's code of a revert. */
const REJECTED_CODES = new Set([-32600, -32601, -32602, 3])

/**
 * What an error inside an answer means for the question. Providers' words differ, so they only decide which provider is asked next, and how
 * soon. Cases, the first that fits:
 * 1. too many requests
 * 2. a method that it does not know
 * 3. a block that this node does not have
 * 4. a refusal that is the same everywhere
 * 5. anything else: this node's own trouble
 */
export function classifyNodeError(method: string, { code, text }: NodeError, http: HttpFacts): RpcFault {
  if (http.status === 429 || RATE_LIMIT_CODES.has(code) || RATE_LIMIT.test(text)) {
    return { kind: 'rate-limited', retryAfterMs: http.retryAfterMs, text }
  }
  if (code === -32601) return { kind: 'rejected', code, text }
  if (code === -39001 || MISSING.test(text)) return { kind: 'missing', what: `what ${method} asks for: ${text}` }
  if (REJECTED_CODES.has(code) || REVERTED.test(text)) return { kind: 'rejected', code, text }
  return { kind: 'node', code, text }
}

/** The user and password of a provider's URL go into a header: `fetch` refuses them in the URL, and a WebSocket does not send them. */
export function targetOf(text: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(text)
  const { username, password } = url
  if (username === '') return { url: url.href, headers: {} }
  url.username = ''
  url.password = ''
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return { url: url.href, headers: { Authorization: `Basic ${credentials}` } }
}

/**
 * What an HTTP status means when the body is not a JSON-RPC answer.
 *
 * @param text the body, without secrets
 */
export function classifyHttpStatus({ status, retryAfterMs }: HttpFacts, text: string): RpcFault {
  return status === 429 ? { kind: 'rate-limited', retryAfterMs, text } : { kind: 'http', status, text }
}

const TEXT_KEPT = 200
/** A shorter part of a host or path is a word ("v2", "rpc", "base"), not a key. */
const WORD_HIDDEN_FROM = 8
/**
 * Credentials and query values are secrets even if they look like words. Hiding a secret of one letter would hide that letter everywhere.
 */
const SECRET_HIDDEN_FROM = 3

/**
 * A cleaner for what a provider writes: providers quote the URL, the host, the key or the headers they were asked with.
 *
 * @returns the text on one line, at most 200 characters, without any URL and without the long parts of `url` in any spelling of
 * `secretPattern`
 */
export function redactor(url: string): (text: string) => string {
  const pattern = secretPattern(partsOf(url))
  return text => {
    const withoutUrls = text.replace(/\b[a-z][a-z+.-]{1,10}:\/\/\S+/gi, '<url>')
    return (pattern === null ? withoutUrls : withoutUrls.replaceAll(pattern, '<redacted>'))
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, TEXT_KEPT)
  }
}

function partsOf(url: string): string[] {
  const parsed = URL.parse(url)
  if (parsed === null) return [url]
  const { host, hostname, username, password, pathname, searchParams } = parsed
  const words = [host, hostname, ...pathname.split('/')].filter(part => part.length >= WORD_HIDDEN_FROM)
  // A parameter without a value may be the key itself.
  const values = [...searchParams].map(([name, value]) => (value === '' ? name : value))
  const pair = `${decoded(username)}:${decoded(password)}`
  // The second is their form in the `Authorization` header.
  const pairs = pair === ':' ? [] : [pair, Buffer.from(pair).toString('base64')]
  const secrets = [username, password, ...pairs, ...values].filter(part => part.length >= SECRET_HIDDEN_FROM)
  return [...words, ...secrets].flatMap(part => [part, decoded(part)])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
