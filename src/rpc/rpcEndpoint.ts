import { classifyHttpStatus, classifyNodeError, type HttpFacts } from './classifyAnswer.ts'
import { RpcError } from './rpcFault.ts'

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
