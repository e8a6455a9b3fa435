import { Buffer } from 'node:buffer'
import { fetchFailure } from '#async/connecting.ts'
import { parseRetryAfter } from '#async/retryAfter.ts'
import { secretPattern } from '#domain/secretPattern.ts'
import {
  classifyHttpStatus,
  type HttpFacts,
  hasError,
  isEnvelope,
  type RpcAnswers,
  type RpcCall,
  type RpcEndpoint,
  type RpcEnvelope,
  readResult,
  redactor,
  targetOf,
} from './rpcEndpoint.ts'
import { RpcError } from './rpcFault.ts'

export interface HttpEndpointOptions {
  readonly name: string
  readonly url: string
  readonly epochMs: () => number
  /** Default: the global one. */
  readonly fetch?: typeof fetch | undefined
}

const MIB = 1024 * 1024
/** Bounds the memory of one request. */
const MAX_ANSWER_BYTES = 48 * MIB
/** A receipt may be larger, since one transaction's logs can't be asked for in parts: some 600,000 logs, which cost 10^9 gas. */
const MAX_RECEIPT_BYTES = 384 * MIB

interface Body extends RpcCall {
  readonly jsonrpc: '2.0'
  readonly id: number
}

/** A provider over HTTP: several calls are one JSON-RPC batch. Redirects are refused: they would take the URL's key elsewhere. */
export function createHttpEndpoint({ name, url, epochMs, fetch: fetchFn = fetch }: HttpEndpointOptions): RpcEndpoint {
  const target = targetOf(url)
  const sentHeaders = { ...target.headers, 'Content-Type': 'application/json' }
  const redact = redactor(url)
  let lastId = 0

  const request = async (body: string, signal: AbortSignal): Promise<Response> => {
    try {
      return await fetchFn(target.url, { method: 'POST', headers: sentHeaders, body, redirect: 'manual', signal })
    } catch (error) {
      throw signal.aborted ? signal.reason : new RpcError({ kind: 'network', why: fetchFailure(error) }, name)
    }
  }

  const readText = async (response: Response, maxBytes: number, signal: AbortSignal): Promise<string> => {
    const text = await readBody(response, maxBytes).catch(() => {
      throw signal.aborted ? signal.reason : new RpcError({ kind: 'cut-off' }, name)
    })
    if (text === null) throw new RpcError({ kind: 'garbled', what: `more than ${maxBytes / MIB} MiB` }, name)
    return text
  }

  const readAnswers = (bodies: readonly Body[], answer: unknown, http: HttpFacts): RpcAnswers => {
    const [first] = bodies
    const list: readonly unknown[] | null = Array.isArray(answer) ? answer : null
    if (bodies.length === 1 && first !== undefined)
      return { results: [resultOf(first.method, list?.length === 1 ? list[0] : answer, http)], refusal: null }
    const answers = matchAnswers(
      bodies.map(({ id }) => id),
      list ?? [],
    )
    // One error for all calls, in a list or not, with an id or without; or the same for each.
    const error = (list ?? [answer]).find(hasError)
    if (error !== undefined && answers.every(one => one === undefined || hasError(one))) resultOf('a batch', error, http)
    return resultsOf(bodies, answers, http)
  }

  const resultsOf = (bodies: readonly Body[], answers: readonly (RpcEnvelope | undefined)[], http: HttpFacts): RpcAnswers => {
    const missing = bodies.find((_, index) => answers[index] === undefined)
    if (missing !== undefined) throw new RpcError({ kind: 'garbled', what: `a batch without the answer to ${missing.method}` }, name)
    const results: unknown[] = []
    for (const [index, { method }] of bodies.entries()) {
      try {
        results.push(resultOf(method, answers[index], http))
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        return { results, refusal: error }
      }
    }
    return { results, refusal: null }
  }

  const resultOf = (method: string, value: unknown, http: HttpFacts): unknown => {
    if (!isEnvelope(value)) throw new RpcError({ kind: 'garbled', what: `${method} answered by no object` }, name)
    return readResult(value, method, http, redact, name)
  }

  return {
    send: async (calls, signal) => {
      const bodies = calls.map(({ method, params }): Body => ({ jsonrpc: '2.0', id: ++lastId, method, params }))
      const response = await request(JSON.stringify(bodies.length === 1 ? bodies[0] : bodies), signal)
      const { status, headers } = response
      if (status >= 300 && status < 400) {
        await response.body?.cancel()
        throw new RpcError({ kind: 'http', status, text: redirectSentence(headers.get('Location'), target.url) }, name)
      }
      const http: HttpFacts = { status, retryAfterMs: parseRetryAfter(headers.get('Retry-After'), epochMs()) }
      const text = await readText(response, isReceipt(calls) ? MAX_RECEIPT_BYTES : MAX_ANSWER_BYTES, signal)
      const answer = parseJson(text)
      // The body of an error status need not be JSON-RPC; then the status says what is wrong.
      if (status >= 400 && ![answer].flat().some(hasError)) throw new RpcError(classifyHttpStatus(http, redact(wordsOfBody(text))), name)
      if (answer === undefined) throw new RpcError({ kind: 'garbled', what: 'not JSON' }, name)
      return readAnswers(bodies, answer, http)
    },
    subscribeHeads: null,
    close: () => {},
  }
}

/** `undefined`: not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isReceipt(calls: readonly RpcCall[]): boolean {
  return calls.length === 1 && calls[0]?.method === 'eth_getTransactionReceipt'
}

/** The first buffer for an answer without a `Content-Length`. */
const USUAL_BYTES = 64 * 1024

/** The body as text; `null` when it has more bytes than this. */
async function readBody(response: Response, maxBytes: number): Promise<string | null> {
  const stated = Number(response.headers.get('Content-Length'))
  if (stated > maxBytes) {
    await response.body?.cancel()
    return null
  }
  // Chunks are copied into one buffer as they come: many small buffers that wait for the last one raise the peak of memory.
  let bytes = Buffer.allocUnsafe(stated > 0 ? stated : USUAL_BYTES)
  let size = 0
  for await (const chunk of response.body ?? []) {
    // Leaving the loop cancels the rest.
    if (size + chunk.length > maxBytes) return null
    if (size + chunk.length > bytes.length) bytes = Buffer.concat([bytes], Math.max(bytes.length * 2, size + chunk.length))
    bytes.set(chunk, size)
    size += chunk.length
  }
  return bytes.toString('utf8', 0, size)
}

/** The characters of a refusal that are read. */
const WORDS_READ = 4_000

/** The words of a page, or of any text, from its beginning: for an error message. */
function wordsOfBody(text: string): string {
  // Cut between words, so that no part of a key is left that looks like a word.
  const read = text.length <= WORDS_READ ? text : text.slice(0, WORDS_READ).replace(/[^\s<>]*$/, '')
  return read.replace(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
}

/**
 * The answers to the calls of a batch, in the order of their ids; `undefined`: none. Answers come in any order, and some servers write ids
 * as text. Answers whose ids are useless, all the same or left out, are taken in the order of the calls.
 */
function matchAnswers(ids: readonly number[], answers: readonly unknown[]): readonly (RpcEnvelope | undefined)[] {
  const envelopes = answers.filter(isEnvelope)
  const byId = new Map(envelopes.map(envelope => [String(envelope.id), envelope]))
  const tellNothing = byId.size === 1 && envelopes.length > 1 && envelopes.length === ids.length
  return tellNothing ? envelopes : ids.map(id => byId.get(String(id)))
}

/** A shorter part of a path is a word ("v2", "mainnet"), not a key. */
const PATH_HIDDEN_FROM = 12
const LABEL_HIDDEN_FROM = 16
const TEXT_KEPT = 200

/**
 * Where an answer wants to send a request, for an operator who has to correct `RPC_URLS`: scheme, host and path of the new address, without
 * parts that may be a key. A redirect is not followed: most turn a POST into a GET, the others take the request and its key elsewhere.
 *
 * @param location the header of the answer, absolute or relative to `url`
 */
function redirectSentence(location: string | null, url: string): string {
  const target = location === null ? null : URL.parse(location, url)
  if (target === null) return 'a redirect without an address'
  const { hostname, pathname, searchParams } = new URL(url)
  const parts = [...pathname.split('/').filter(isLong), ...hostname.split('.').filter(({ length }) => length >= LABEL_HIDDEN_FROM)]
  const keys = secretPattern([...parts, ...searchParams.values()])
  const path = target.pathname.split('/').map(part => (isLong(part) ? '<redacted>' : part))
  const shown = `${target.protocol}//${target.host}${path.join('/')}`
  const address = keys === null ? shown : shown.replaceAll(keys, '<redacted>')
  return `a redirect is not followed; RPC_URLS has to name the right address, which may be ${address}`.slice(0, TEXT_KEPT)
}

function isLong(part: string): boolean {
  return part.length >= PATH_HIDDEN_FROM
}
