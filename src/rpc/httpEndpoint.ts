import { Buffer } from 'node:buffer'
import { parseRetryAfter } from '#async/retryAfter.ts'
import { createBatchSize } from './batchSize.ts'
import { BATCH, classifyHttpStatus, type HttpFacts } from './classifyAnswer.ts'
import { redactor } from './redactUrl.ts'
import {
  type EndpointOptions,
  isEnvelope,
  type RpcAnswers,
  type RpcCall,
  type RpcEndpoint,
  readResult,
  refusalOf,
  TOGETHER_CALLS,
} from './rpcEndpoint.ts'
import { RpcError } from './rpcFault.ts'

/** An answer of logs above this is refused like one that the provider calls too large. Bounds the memory of one call. */
const MAX_ANSWER_BYTES = 48 * 1024 * 1024
/** What is made room for where an answer does not say how long it is. */
const USUAL_ANSWER_BYTES = 64 * 1024
const MAX_CALLS_PER_REQUEST = 100
/** Who has not been asked for so long has what it allows in a second for one request. */
const RESTED_MS = 1_000
/** A provider's limit to the calls of a request is for good, how many come at a time is for the moment. */
const REQUESTS_BEFORE_MORE_CALLS = { limit: 64, rate: 4 }

/**
 * A provider over HTTP. It learns how many calls the provider takes in one request.
 */
export function createHttpEndpoint({ name, url, nowMs, fetch: fetchFn = fetch }: EndpointOptions): RpcEndpoint {
  const target = targetOf(url)
  const redact = redactor(url)
  const underWay = new Set<AbortController>()
  const byLimit = createBatchSize(MAX_CALLS_PER_REQUEST, REQUESTS_BEFORE_MORE_CALLS.limit)
  const byRate = createBatchSize(MAX_CALLS_PER_REQUEST, REQUESTS_BEFORE_MORE_CALLS.rate, TOGETHER_CALLS)
  let closed = false
  let lastId = 0
  let sentAtMs = Number.NEGATIVE_INFINITY

  const post = async (calls: readonly RpcCall[], timeoutMs: number): Promise<RpcAnswers> => {
    if (closed) throw new RpcError({ kind: 'closed' }, name)
    const controller = new AbortController()
    underWay.add(controller)
    // Until the last byte: a provider may hang in the middle of the body.
    const timer = setTimeout(() => controller.abort(), timeoutMs)
    let http: HttpFacts = { status: 200, retryAfterMs: null }
    const bodies = calls.map(({ method, params }) => ({ jsonrpc: '2.0' as const, id: ++lastId, method, params }))
    try {
      const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)
      const response = await fetchFn(target.url, { method: 'POST', headers: target.headers, body, signal: controller.signal })
      http = { status: response.status, retryAfterMs: parseRetryAfter(response.headers.get('Retry-After'), nowMs()) }
      const answer = await readBody(response)
      if (answer === null) throw new RpcError(classifyHttpStatus(refusedMethod(calls), { ...http, status: 413 }), name)
      return readAnswer(bodies, JSON.parse(answer) as unknown, http)
    } catch (error) {
      throw toRpcError(error, calls, http, controller.signal.aborted)
    } finally {
      clearTimeout(timer)
      underWay.delete(controller)
    }
  }

  const toRpcError = (error: unknown, calls: readonly RpcCall[], http: HttpFacts, aborted: boolean): RpcError => {
    // An answer that is no JSON-RPC is not to be expected of an error's status, which says why.
    if (error instanceof RpcError && (error.fault.kind !== 'garbled' || http.status < 400)) return error
    if (aborted) return new RpcError({ kind: closed ? 'closed' : 'timeout' }, name)
    if (http.status >= 400) return new RpcError(classifyHttpStatus(refusedMethod(calls), http), name)
    return new RpcError(error instanceof SyntaxError ? { kind: 'garbled', what: 'not JSON' } : { kind: 'network' }, name)
  }

  const readAnswer = (bodies: readonly { id: number; method: string }[], answer: unknown, http: HttpFacts): RpcAnswers => {
    const [first] = bodies
    const list: readonly unknown[] | null = Array.isArray(answer) ? answer : null
    if (bodies.length === 1 && first !== undefined) {
      return { results: [resultOf(first.method, list?.length === 1 ? list[0] : answer, http)], refusal: null }
    }
    if (list === null) {
      // One error for the whole batch: what is refused is the batch.
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

  /** As many of the calls as go into one request; none are answered when that is too many. */
  const sendSome = async (calls: readonly RpcCall[], timeoutMs: number): Promise<RpcAnswers> => {
    const half = Math.ceil(calls.length / 2)
    const rested = nowMs() - sentAtMs >= RESTED_MS
    sentAtMs = nowMs()
    try {
      const answers = await post(calls, timeoutMs)
      const { results, refusal } = answers
      if (refusal !== null && (rested || results.length > 0)) byRate.refused(results.length || half)
      if (refusal === null) for (const size of [byLimit, byRate]) size.answered(calls.length)
      return answers
    } catch (error) {
      if (error instanceof RpcError && error.fault.kind === 'batch-too-large') {
        if (calls.length === 1) throw new RpcError({ kind: 'node', code: 0, text: 'one call is too many for it' }, name)
        byLimit.refused(half)
        return { results: [], refusal: null }
      }
      const refusal = refusalOf(error)
      // Of many requests in a short time it may be their number that is refused: then smaller ones, of which there are more, would be worse.
      if (rested) byRate.refused(half)
      return { results: [], refusal }
    }
  }

  const send = async (calls: readonly RpcCall[], timeoutMs: number): Promise<RpcAnswers> => {
    const results: unknown[] = []
    while (results.length < calls.length) {
      const most = Math.min(byLimit.calls(), byRate.calls())
      const { results: some, refusal } = await sendSome(calls.slice(results.length, results.length + most), timeoutMs)
      results.push(...some)
      if (refusal !== null) return { results, refusal }
    }
    return { results, refusal: null }
  }

  return {
    send,
    subscribeHeads: null,
    close: () => {
      closed = true
      for (const controller of underWay) controller.abort()
    },
  }
}

/** Some providers answer a refused batch by an array of one error without an id. */
function batchError(answer: readonly unknown[]): unknown {
  return answer.find(item => isEnvelope(item) && item.error !== undefined && (item.id === null || item.id === undefined))
}

/** The body; `null` when it is larger than an answer may be. */
async function readBody(response: Response): Promise<string | null> {
  const told = Number(response.headers.get('Content-Length'))
  if (told > MAX_ANSWER_BYTES) {
    await response.body?.cancel()
    return null
  }
  // Chunks are copied into one buffer as they come: many small buffers that wait for the last one raise the peak of memory.
  let bytes = Buffer.allocUnsafe(told > 0 ? told : USUAL_ANSWER_BYTES)
  let size = 0
  for await (const chunk of response.body ?? []) {
    // Leaving the loop cancels the rest.
    if (size + chunk.length > MAX_ANSWER_BYTES) return null
    if (size + chunk.length > bytes.length) bytes = Buffer.concat([bytes], Math.max(bytes.length * 2, size + chunk.length))
    bytes.set(chunk, size)
    size += chunk.length
  }
  return bytes.toString('utf8', 0, size)
}

/** What an answer without a word of its own is taken to refuse. */
function refusedMethod(calls: readonly RpcCall[]): string {
  return calls.find(call => call.method === 'eth_getLogs')?.method ?? (calls.length > 1 ? BATCH : (calls[0]?.method ?? BATCH))
}

/** A name and password in the URL go into a header: `fetch` refuses them where they stand. */
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
