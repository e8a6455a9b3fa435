import { type ErrorCode, TokenwireError } from '#errors'

/** Why a question has no answer that can be believed. */
export type RpcFault =
  | { readonly kind: 'timeout' }
  /** It had not answered anything for long when another provider answered. */
  | { readonly kind: 'slow' }
  /** Refused, reset, closed, not resolved. `why`: as of `fetchFailure`. */
  | { readonly kind: 'network'; readonly why?: string | null }
  /** The connection ended inside the answer. */
  | { readonly kind: 'cut-off' }
  /** `text`: what the body says, without secrets; `''`: nothing. */
  | { readonly kind: 'http'; readonly status: number; readonly text: string }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number | null; readonly text: string }
  /** Not JSON-RPC, or not of the shape that the method has. */
  | { readonly kind: 'garbled'; readonly what: string }
  /** The provider does not have it (yet). */
  | { readonly kind: 'missing'; readonly what: string }
  /** Well-formed, and contradicts itself or another answer. */
  | { readonly kind: 'inconsistent'; readonly what: string }
  /** A log query that exceeds a limit of the provider: `cause` is its answer, and a smaller query was answered at the same moment. */
  | { readonly kind: 'too-large'; readonly limit: LogLimit; readonly cause: RpcFault }
  /** The node failed. */
  | { readonly kind: 'node'; readonly code: number; readonly text: string }
  /** The node understood and refuses: a revert, bad parameters, an unknown method. */
  | { readonly kind: 'rejected'; readonly code: number; readonly text: string }
  | { readonly kind: 'wrong-chain'; readonly expected: number; readonly actual: number }
  /** This side has closed. */
  | { readonly kind: 'closed' }

type Kind = RpcFault['kind']

/** The only error of chain access. Holds neither URLs nor underlying errors, which quote them. */
export class RpcError extends TokenwireError {
  readonly fault: RpcFault
  /** `rpc-1` …, or `null` when the fault was found in an answer. */
  readonly provider: string | null

  constructor(fault: RpcFault, provider: string | null = null) {
    super(CODES[fault.kind] ?? 'rpc_unavailable', `${provider ?? 'rpc'}: ${faultSentence(fault)}`, {
      // A provider of another chain may be replaced, so the fault is retryable. At the start, `connectChain` turns it into a final error.
      retryable: fault.kind !== 'rejected' && fault.kind !== 'closed',
      details: { provider, ...fault },
    })
    this.name = 'RpcError'
    this.fault = fault
    this.provider = provider
  }
}

/** The error of an answer that contradicts another one, or its own header. */
export function inconsistent(what: string): RpcError {
  return new RpcError({ kind: 'inconsistent', what })
}

/** The error of an answer that is not what the method answers. */
export function garbled(what: string): RpcError {
  return new RpcError({ kind: 'garbled', what })
}

/** The error of an answer that says that the provider does not have what was asked for. */
export function missing(what: string): RpcError {
  return new RpcError({ kind: 'missing', what })
}

/** The fault of an `RpcError`; `null` for any other error, which is a defect. */
export function faultOf(error: unknown): RpcFault | null {
  return error instanceof RpcError ? error.fault : null
}

/** Whether the request was lost or put off. Its answer is unknown, so the same request may be sent again. */
export function isLost({ kind }: RpcFault): boolean {
  return kind === 'timeout' || kind === 'network' || kind === 'cut-off' || kind === 'rate-limited'
}

const CODES: Readonly<Partial<Record<Kind, ErrorCode>>> = {
  inconsistent: 'rpc_inconsistent',
  garbled: 'rpc_inconsistent',
  'too-large': 'rpc_range_too_large',
  rejected: 'rpc_rejected',
  'wrong-chain': 'chain_mismatch',
}

const KIND_SENTENCES: Readonly<Record<Exclude<Kind, 'too-large'>, string>> = {
  timeout: 'no answer in time',
  slow: 'another provider answers sooner',
  network: 'the connection failed',
  'cut-off': 'the answer was cut off',
  http: 'an HTTP error',
  'rate-limited': 'rate limit',
  garbled: 'not an answer',
  missing: 'does not have what it is asked for',
  inconsistent: 'contradiction',
  node: 'the node failed',
  rejected: 'the node refuses',
  'wrong-chain': 'serves another chain',
  closed: 'closed',
}

const LIMIT_SENTENCES: Readonly<Record<LogLimit, string>> = {
  blocks: 'the log query spans too many blocks for it',
  addresses: 'the log query names too many addresses for it',
  'address-required': 'it refuses log queries without addresses',
}

/** The kind of fault in words for the public health: no word and no number that a provider wrote. */
export function faultKindSentence(fault: RpcFault): string {
  return fault.kind === 'too-large' ? LIMIT_SENTENCES[fault.limit] : KIND_SENTENCES[fault.kind]
}

/** The fault in words, with what the provider said: for logs and operators. */
export function faultSentence(fault: RpcFault): string {
  const words = faultKindSentence(fault)
  switch (fault.kind) {
    case 'http':
      return fault.text === '' ? `HTTP ${fault.status}` : `HTTP ${fault.status}: ${fault.text}`
    case 'rate-limited': {
      const until = fault.retryAfterMs === null ? words : `${words}, to be asked again in ${Math.ceil(fault.retryAfterMs / 1_000)} s`
      return fault.text === '' ? until : `${until}: ${fault.text}`
    }
    case 'network':
      return !fault.why ? words : `${words} (${fault.why})`
    case 'garbled':
    case 'inconsistent':
      return `${words}: ${fault.what}`
    case 'missing':
      return `does not have ${fault.what}`
    case 'node':
    case 'rejected':
      return `${words} (${fault.code}): ${fault.text}`
    case 'too-large':
      return `${words} (${faultSentence(fault.cause)})`
    case 'wrong-chain':
      return `serves chain ${fault.actual}, not chain ${fault.expected}`
    default:
      return words
  }
}

/**
 * What a log query that is too large has too much of: blocks, with what they hold, or addresses (topics of one position alike).
 * `address-required`: it names no addresses, and the provider refuses such queries.
 */
export type LogLimit = 'blocks' | 'addresses' | 'address-required'
