import { Buffer } from 'node:buffer'
import { parseRetryAfter } from '#async/retryAfter.ts'
import { BATCH, classifyHttpStatus, type HttpFacts } from './classifyAnswer.ts'
import { redactor } from './redactUrl.ts'
import { isEnvelope, type RpcAnswers, type RpcCall, type RpcEndpoint, readResult, refusalOf } from './rpcEndpoint.ts'
import { RpcError } from './rpcFault.ts'

export interface HttpEndpointOptions {
  readonly name: string
  readonly url: string
  readonly epochMs: () => number
  /** Default: the global one. */
  readonly fetch?: typeof fetch | undefined
}

/** A larger answer is refused like one that the provider calls too large: bounds the memory of one request. */
const MAX_ANSWER_BYTES = 48 * 1024 * 1024
/** A receipt may be larger, since one transaction's logs can't be asked for in parts: some 600,000 logs, which cost 10^9 gas. */
const MAX_RECEIPT_BYTES = 384 * 1024 * 1024
/** The first buffer for an answer without a `Content-Length`. */
const USUAL_ANSWER_BYTES = 64 * 1024

interface Body extends RpcCall {
  readonly jsonrpc: '2.0'
  readonly id: number
}

/** A provider over HTTP: several calls are one JSON-RPC batch. */
export function createHttpEndpoint({ name, url, epochMs, fetch: fetchFn = fetch }: HttpEndpointOptions): RpcEndpoint {
  const target = targetOf(url)
  const redact = redactor(url)
  let lastId = 0

  const send = async (calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcAnswers> => {
    let http: HttpFacts = { status: 200, retryAfterMs: null }
    const bodies = calls.map(({ method, params }): Body => ({ jsonrpc: '2.0', id: ++lastId, method, params }))
    try {
      const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)
      const response = await fetchFn(target.url, { method: 'POST', headers: target.headers, body, signal })
      http = { status: response.status, retryAfterMs: parseRetryAfter(response.headers.get('Retry-After'), epochMs()) }
      const text = await readBody(response, isReceipt(calls) ? MAX_RECEIPT_BYTES : MAX_ANSWER_BYTES)
      if (text === null) throw new RpcError(classifyHttpStatus(refusedMethod(calls), { ...http, status: 413 }), name)
      return readAnswer(bodies, JSON.parse(text) as unknown, http)
    } catch (error) {
      return { results: [], refusal: refusalOf(toRpcError(error, calls, http, signal)) }
    }
  }

  const toRpcError = (error: unknown, calls: readonly RpcCall[], http: HttpFacts, signal: AbortSignal): unknown => {
    // The body of an error status need not be JSON-RPC; then the status says what is wrong.
    if (error instanceof RpcError && (error.fault.kind !== 'garbled' || http.status < 400)) return error
    if (signal.aborted) return signal.reason
    if (http.status >= 400) return new RpcError(classifyHttpStatus(refusedMethod(calls), http), name)
    return new RpcError(error instanceof SyntaxError ? { kind: 'garbled', what: 'not JSON' } : { kind: 'network' }, name)
  }

  const readAnswer = (bodies: readonly Body[], answer: unknown, http: HttpFacts): RpcAnswers => {
    const [first] = bodies
    const list: readonly unknown[] | null = Array.isArray(answer) ? answer : null
    if (bodies.length === 1 && first !== undefined) {
      return { results: [resultOf(first.method, list?.length === 1 ? list[0] : answer, http)], refusal: null }
    }
    if (list === null) {
      // One error for the whole batch: the provider refuses the batch.
      resultOf(BATCH, answer, http)
      throw new RpcError({ kind: 'garbled', what: 'a batch answered by one object' }, name)
    }
    const byId = new Map<unknown, unknown>()
    for (const item of list) if (isEnvelope(item)) byId.set(item.id, item)
    const results: unknown[] = []
    for (const { id, method } of bodies) {
      const envelope = byId.get(id) ?? batchError(list)
      if (envelope === undefined) throw new RpcError({ kind: 'garbled', what: `a batch without the answer to ${method}` }, name)
      try {
        results.push(resultOf(method, envelope, http))
      } catch (error) {
        return { results, refusal: refusalOf(error) }
      }
    }
    return { results, refusal: null }
  }

  const resultOf = (method: string, value: unknown, http: HttpFacts): unknown => {
    if (!isEnvelope(value)) throw new RpcError({ kind: 'garbled', what: `${method} answered by no object` }, name)
    return readResult(value, method, http, redact, name)
  }

  return { send, subscribeHeads: null, close: () => {} }
}

/** Some providers answer a refused batch with a list of one error without an id. */
function batchError(answer: readonly unknown[]): unknown {
  return answer.find(item => isEnvelope(item) && item.error !== undefined && (item.id === null || item.id === undefined))
}

/** The body; `null` when it is larger than an answer may be. */
async function readBody(response: Response, maxBytes: number): Promise<string | null> {
  const stated = Number(response.headers.get('Content-Length'))
  if (stated > maxBytes) {
    await response.body?.cancel()
    return null
  }
  // Chunks are copied into one buffer as they come: many small buffers that wait for the last one raise the peak of memory.
  let bytes = Buffer.allocUnsafe(stated > 0 ? stated : USUAL_ANSWER_BYTES)
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

function isReceipt(calls: readonly RpcCall[]): boolean {
  return calls.length === 1 && calls[0]?.method === 'eth_getTransactionReceipt'
}

/** The method that an error for the whole request is about. */
function refusedMethod(calls: readonly RpcCall[]): string {
  return calls.find(call => call.method === 'eth_getLogs')?.method ?? (calls.length > 1 ? BATCH : (calls[0]?.method ?? BATCH))
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
