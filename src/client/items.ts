import { type Result, unwrap } from './result.ts'
import type { Page } from './tokenwire.ts'
import { TokenwireError } from './tokenwireError.ts'

/**
 * All items of a list, page after page as they are read: `items(at => tokenwire.trades(address, { side: 'buy', ...at }))`. Pages of candles go back in
 * time while each rises.
 *
 * @throws the `TokenwireError` of a page that failed
 */
export async function* items<T>(
  page: (position: { readonly cursor?: string }) => Promise<Result<Page<T>>>,
): AsyncGenerator<T, undefined, undefined> {
  let position: { readonly cursor?: string } = {}
  for (;;) {
    const { data, nextCursor } = unwrap(await page(position))
    yield* data
    if (nextCursor === null) return undefined
    if (nextCursor === position.cursor) throw new TokenwireError('invalid_answer', 'a page leads to itself')
    position = { cursor: nextCursor }
  }
}
