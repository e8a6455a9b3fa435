import { ClientError } from '#client/clientError.ts'
import { type Result, unwrap } from '#client/result.ts'
import type { ListPage } from './calls.ts'

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
