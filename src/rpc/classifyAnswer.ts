import type { RpcFault } from './rpcFault.ts'

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

/**
 * What an HTTP status means when the body is not a JSON-RPC answer.
 *
 * @param text the body, without secrets
 */
export function classifyHttpStatus({ status, retryAfterMs }: HttpFacts, text: string): RpcFault {
  return status === 429 ? { kind: 'rate-limited', retryAfterMs, text } : { kind: 'http', status, text }
}
