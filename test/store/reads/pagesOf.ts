import { expect } from 'vitest'

interface Page<Item, Cursor> {
  readonly data: readonly Item[]
  readonly next: Cursor | null
}

/** Where a page begins: at the first item without a cursor. */
export interface From<Cursor> {
  readonly cursor?: Cursor
}

/** All pages of a list, in their order; each but the last is full. */
export async function pagesOf<Item, Cursor>(
  limit: number,
  read: (from: From<Cursor>) => Promise<Page<Item, Cursor> | null>,
  betweenPages: () => Promise<void> = async () => undefined,
): Promise<readonly (readonly Item[])[]> {
  const pages: (readonly Item[])[] = []
  for (let from: From<Cursor> = {}; ; ) {
    const page = await read(from)
    if (page === null) throw new Error('the token is not indexed')
    pages.push(page.data)
    expect(page.data.length).toBeLessThanOrEqual(limit)
    if (page.next === null) return pages
    expect(page.data.length).toBe(limit)
    from = { cursor: page.next }
    await betweenPages()
  }
}
