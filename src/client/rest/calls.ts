/* What REST calls take and give. */
import type { AbortSignalLike } from '#client/ending.ts'

/** One page of a list. `nextCursor` leads to the next page of the same request and is `null` on the last one. Public as `Page`. */
export interface ListPage<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
  /** The newest indexed block at the time of the answer; `null`: nothing is indexed yet. */
  readonly asOfBlock: string | null
}

/** A page of operator data. It has no `asOfBlock`, because it is not read from the chain. */
export type OperatorPage<T> = Omit<ListPage<T>, 'asOfBlock'>

/** Options of every REST call. */
export interface CallOptions {
  readonly signal?: AbortSignalLike
  /** Time limit per attempt. Default: the client's. */
  readonly timeoutMs?: number
  /** Attempts after the first one. Default: the client's. */
  readonly retries?: number
}

export interface OperatorOptions extends CallOptions {
  /** Sent with this call and not stored. */
  readonly operatorToken?: string
}
