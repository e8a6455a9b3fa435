import { type ErrorCode, TokenwireError } from '#errors'
import type { RangeLimit } from './rangeLimit.ts'

/** Why a question got no answer that can be believed. */
export type RpcFault =
  | { readonly kind: 'timeout' }
  /** Refused, reset, closed, not resolved. */
  | { readonly kind: 'network' }
  | { readonly kind: 'http'; readonly status: number }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number | null }
  /** Not JSON-RPC, or not of the shape that the method has. */
  | { readonly kind: 'garbled'; readonly what: string }
  /** The provider does not have it (yet). */
  | { readonly kind: 'missing'; readonly what: string }
  /** Well-formed and contradicting itself or another answer. */
  | { readonly kind: 'inconsistent'; readonly what: string }
  | { readonly kind: 'too-large'; readonly limit: RangeLimit }
  /** More calls in one HTTP request than it allows. */
  | { readonly kind: 'batch-too-large' }
  /** The node failed at it. */
  | { readonly kind: 'node'; readonly code: number; readonly text: string }
  /** The node understood and refuses: a revert, bad parameters, a method that it does not have. */
  | { readonly kind: 'rejected'; readonly code: number; readonly text: string }
  | { readonly kind: 'wrong-chain'; readonly expected: number; readonly actual: number }
  /** This side has closed. */
  | { readonly kind: 'closed' }

/** The one error of the chain access. Holds neither URLs nor what viem threw, which would tell them. */
export class RpcError extends TokenwireError {
  readonly fault: RpcFault
  /** `rpc-1` …, or `null` when the fault lies between several. */
  readonly provider: string | null

  constructor(fault: RpcFault, provider: string | null = null) {
    super(codeOf(fault), `${provider ?? 'rpc'}: ${sentence(fault)}`, {
      // Another chain is one provider's, and for a while perhaps: what it means that all of them serve one is for whoever connects to say.
      retryable: !['rejected', 'closed'].includes(fault.kind),
      details: { provider, ...fault },
    })
    this.name = 'RpcError'
    this.fault = fault
    this.provider = provider
  }
}

/** Why a question failed, or `null` when the error is not of the chain access: then it is a defect of the one who asked. */
export function faultOf(error: unknown): RpcFault | null {
  return error instanceof RpcError ? error.fault : null
}

/** Whether the request was lost or put off, so that nothing is known of its answer: sending it again may be all that it takes. */
export function isLost({ kind }: RpcFault): boolean {
  return kind === 'timeout' || kind === 'network' || kind === 'rate-limited'
}

function codeOf(fault: RpcFault): ErrorCode {
  switch (fault.kind) {
    case 'inconsistent':
    case 'garbled':
      return 'rpc_inconsistent'
    case 'too-large':
      return 'rpc_range_too_large'
    case 'rejected':
      return 'rpc_rejected'
    case 'wrong-chain':
      return 'chain_mismatch'
    default:
      return 'rpc_unavailable'
  }
}

/** What kind of fault it is, for everybody to read: no word and no number that a provider wrote. */
export function faultKindSentence({ kind }: RpcFault): string {
  switch (kind) {
    case 'timeout':
      return 'no answer in time'
    case 'network':
      return 'the connection failed'
    case 'http':
      return 'an HTTP error'
    case 'rate-limited':
      return 'rate limit'
    case 'garbled':
      return 'not an answer'
    case 'missing':
      return 'does not have what it is asked for'
    case 'inconsistent':
      return 'contradiction'
    case 'too-large':
      return 'the query of logs is too large for it'
    case 'batch-too-large':
      return 'too many calls in one request'
    case 'node':
      return 'the node failed'
    case 'rejected':
      return 'the node refuses'
    case 'wrong-chain':
      return 'serves another chain'
    case 'closed':
      return 'closed'
  }
}

/** With what the provider said, for logs and operators. */
function sentence(fault: RpcFault): string {
  switch (fault.kind) {
    case 'http':
      return `HTTP ${fault.status}`
    case 'rate-limited': {
      const later = fault.retryAfterMs === null ? '' : `, to be asked again in ${Math.ceil(fault.retryAfterMs / 1_000)} s`
      return `${faultKindSentence(fault)}${later}`
    }
    case 'garbled':
    case 'inconsistent':
      return `${faultKindSentence(fault)}: ${fault.what}`
    case 'missing':
      return `does not have ${fault.what}`
    case 'node':
    case 'rejected':
      return `${faultKindSentence(fault)} (${fault.code}): ${fault.text}`
    case 'wrong-chain':
      return `serves chain ${fault.actual}, not chain ${fault.expected}`
    default:
      return faultKindSentence(fault)
  }
}
