import { getHttpRpcClient } from 'viem/utils'
import { BATCH, classifyHttpStatus, type HttpFacts, parseRetryAfter } from './classifyAnswer.ts'
import { redactor } from './redactUrl.ts'
import { type EndpointOptions, isEnvelope, type RpcCall, type RpcEndpoint, readResult } from './rpcEndpoint.ts'
import { RpcError } from './rpcFault.ts'

/** An answer of logs above this is refused like one that the provider calls too large. Bounds the memory of one call. */
const MAX_ANSWER_BYTES = 48 * 1024 * 1024
const MAX_CALLS_PER_REQUEST = 100
/** After so many full requests the limit that was learned is tried anew, a quarter higher: the refusal may have meant a bad moment. */
const REQUESTS_BEFORE_MORE_CALLS = 64

/** A provider over HTTP, on viem's HTTP client. It learns how many calls the provider takes in one request. */
export function createHttpEndpoint({ name, url, nowMs, fetch: fetchFn = fetch }: EndpointOptions): RpcEndpoint {
  // Time-outs are made here: viem's ends when the headers have come, and a provider may hang in the middle of the body.
  const client = getHttpRpcClient(url, { timeout: 0, maxResponseBodySize: MAX_ANSWER_BYTES })
  const redact = redactor(url)
  const underWay = new Set<AbortController>()
  let callsPerRequest = MAX_CALLS_PER_REQUEST
  let fullRequests = 0
  let closed = false
  let lastId = 0

  const post = async (calls: readonly RpcCall[], timeoutMs: number): Promise<readonly unknown[]> => {
    if (closed) throw new RpcError({ kind: 'closed' }, name)
    const controller = new AbortController()
    underWay.add(controller)
    const timer = setTimeout(() => controller.abort(), timeoutMs)
    let http: HttpFacts = { status: 200, retryAfterMs: null }
    const bodies = calls.map(({ method, params }) => ({ jsonrpc: '2.0' as const, id: ++lastId, method, params: [...params] }))
    try {
      const answer: unknown = await client.request({
        body: bodies.length === 1 && bodies[0] !== undefined ? bodies[0] : bodies,
        fetchOptions: { signal: controller.signal },
        fetchFn: async (input, init) => {
          const response = await fetchFn(input, init)
          http = { status: response.status, retryAfterMs: parseRetryAfter(response.headers.get('Retry-After'), nowMs()) }
          return response
        },
      })
      return readAnswer(bodies, answer, http)
    } catch (error) {
      throw toRpcError(error, calls, http, controller.signal.aborted)
    } finally {
      clearTimeout(timer)
      underWay.delete(controller)
    }
  }

  const toRpcError = (error: unknown, calls: readonly RpcCall[], http: HttpFacts, aborted: boolean): RpcError => {
    if (error instanceof RpcError) return error
    if (aborted) return new RpcError({ kind: closed ? 'closed' : 'timeout' }, name)
    const method = calls.find(call => call.method === 'eth_getLogs')?.method ?? (calls.length > 1 ? BATCH : (calls[0]?.method ?? BATCH))
    if (error instanceof Error && error.name === 'ResponseBodyTooLargeError')
      return new RpcError(classifyHttpStatus(method, { ...http, status: 413 }), name)
    if (http.status >= 400) return new RpcError(classifyHttpStatus(method, http), name)
    // viem wraps what fetch and JSON.parse throw; a body that is no JSON is a syntax error below it.
    const garbled = isCausedBySyntaxError(error)
    return new RpcError(garbled ? { kind: 'garbled', what: 'not JSON' } : { kind: 'network' }, name)
  }

  const readAnswer = (bodies: readonly { id: number; method: string }[], answer: unknown, http: HttpFacts): unknown[] => {
    const [first] = bodies
    if (bodies.length === 1 && first !== undefined) {
      const single = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
      return [readEnvelope(first.method, single, http)]
    }
    if (!Array.isArray(answer)) {
      // One error for the whole batch: what is refused is the batch.
      readEnvelope(BATCH, answer, http)
      throw new RpcError({ kind: 'garbled', what: 'a batch answered by one object' }, name)
    }
    const byId = new Map<unknown, unknown>()
    for (const item of answer) if (isEnvelope(item)) byId.set(item.id, item)
    return bodies.map(({ id, method }) => {
      const envelope = byId.get(id) ?? batchError(answer)
      if (envelope === undefined) throw new RpcError({ kind: 'garbled', what: `a batch without the answer to ${method}` }, name)
      return readEnvelope(method, envelope, http)
    })
  }

  const readEnvelope = (method: string, value: unknown, http: HttpFacts): unknown => {
    if (!isEnvelope(value)) throw new RpcError({ kind: 'garbled', what: `${method} answered by no object` }, name)
    return readResult(value, method, http, redact, name)
  }

  const send = async (calls: readonly RpcCall[], timeoutMs: number): Promise<readonly unknown[]> => {
    const results: unknown[] = []
    while (results.length < calls.length) {
      const part = calls.slice(results.length, results.length + callsPerRequest)
      try {
        results.push(...(await post(part, timeoutMs)))
        if (part.length === callsPerRequest && ++fullRequests % REQUESTS_BEFORE_MORE_CALLS === 0) {
          callsPerRequest = Math.min(MAX_CALLS_PER_REQUEST, Math.ceil(callsPerRequest * 1.25))
        }
      } catch (error) {
        if (!(error instanceof RpcError) || error.fault.kind !== 'batch-too-large') throw error
        if (part.length === 1) throw new RpcError({ kind: 'node', code: 0, text: 'one call is too many for it' }, name)
        callsPerRequest = Math.min(callsPerRequest, Math.ceil(part.length / 2))
      }
    }
    return results
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

function isCausedBySyntaxError(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && isCausedBySyntaxError(error.cause))
}
