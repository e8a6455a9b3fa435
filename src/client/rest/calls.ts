import { ClientError, type Result, unwrap } from '#client/clientError.ts'
import type { AbortSignalLike } from '#client/ending.ts'

/* What REST calls take and give. */

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

/**
 * All items of a list, fetched page by page: `items(at => tokenwire.trades(address, { side: 'buy', ...at }))`. Each page of candles
 * is in rising order, and the pages go back in time.
 *
 * @throws the `TokenwireError` of a page that failed
 */
export async function* items<T>(
  page: (position: { readonly cursor?: string }) => Promise<Result<ListPage<T>>>,
): AsyncGenerator<T, undefined, undefined> {
  let position: { readonly cursor?: string } = {}
  for (;;) {
    const { data, nextCursor } = unwrap(await page(position))
    yield* data
    if (nextCursor === null) return undefined
    if (nextCursor === position.cursor) throw new ClientError('invalid_answer', 'the page repeats itself')
    position = { cursor: nextCursor }
  }
}
