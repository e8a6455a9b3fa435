import { Buffer } from 'node:buffer'
import { fetchFailure } from '#async/fetchFailure.ts'
import { parseRetryAfter } from '#async/retryAfter.ts'
import { classifyHttpStatus, type HttpFacts } from './classifyAnswer.ts'
import { readBody, wordsOfBody } from './httpBody.ts'
import { matchAnswers } from './matchAnswers.ts'
import { redactor } from './redactUrl.ts'
import { redirectSentence } from './redirectSentence.ts'
import { hasError, isEnvelope, type RpcAnswers, type RpcCall, type RpcEndpoint, type RpcEnvelope, readResult } from './rpcEndpoint.ts'
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
  const redact = redactor(url)
  let lastId = 0

  const request = async (body: string, signal: AbortSignal): Promise<Response> => {
    try {
      return await fetchFn(target.url, { method: 'POST', headers: target.headers, body, redirect: 'manual', signal })
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

/** A user and password of the URL go into a header: `fetch` refuses them in the URL. */
function targetOf(text: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(text)
  const { username, password } = url
  const headers = { 'Content-Type': 'application/json' }
  if (username === '') return { url: url.href, headers }
  url.username = ''
  url.password = ''
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return { url: url.href, headers: { ...headers, Authorization: `Basic ${credentials}` } }
}
