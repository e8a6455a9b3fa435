import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { coalesce } from '#async/coalesce.ts'
import type { Result } from '#client/clientError.ts'
import type { ListPage } from '#client/rest/calls.ts'

/** Rows kept at most. */
const MAX_ITEMS = 500

/** A list whose further pages are loaded on request. */
export interface PagedList<Item> {
  /** `null`: nothing is loaded. */
  readonly items: ReadonlySignal<readonly Item[] | null>
  /** Why the last request failed. */
  readonly failure: ReadonlySignal<string | null>
  readonly hasMore: ReadonlySignal<boolean>
  readonly isLoadingMore: ReadonlySignal<boolean>
  loadMore(): void
  /** Loads the first page again, and keeps the items of further pages behind it. */
  reload(): void
  /** Loads a first page that replaces all items, because the request has changed. The items stay until it is loaded. */
  restart(): void
  stop(): void
}

/** @param ask - requests the page after a cursor; without a cursor, the first page */
export function createPagedList<Item>(
  ask: (page: { readonly cursor?: string }, signal: AbortSignal) => Promise<Result<ListPage<Item>>>,
  keyOf: (item: Item) => string,
): PagedList<Item> {
  const items = signal<readonly Item[] | null>(null)
  const failure = signal<string | null>(null)
  const hasMore = signal(false)
  const isLoadingMore = signal(false)
  let cursor: string | null = null
  let pages = 0
  let ending = new AbortController()

  const first = coalesce<AbortSignal>(async signal => {
    const result = await ask({}, signal)
    if (signal.aborted) return
    batch(() => {
      failure.value = result.ok ? null : result.error.message
      if (!result.ok) {
        if (pages === 0) items.value = null
        return
      }
      const { data, nextCursor } = result.value
      if (pages <= 1) {
        pages = 1
        cursor = nextCursor
        items.value = data
      } else items.value = eachOnce([...data, ...(items.peek() ?? [])])
      hasMore.value = cursor !== null && data.length < MAX_ITEMS
    })
  }, reportError)

  async function loadMore(): Promise<void> {
    if (cursor === null || isLoadingMore.peek()) return
    const { signal } = ending
    isLoadingMore.value = true
    const result = await ask({ cursor }, signal)
    if (signal.aborted) return
    batch(() => {
      isLoadingMore.value = false
      failure.value = result.ok ? null : result.error.message
      if (!result.ok) return
      pages++
      cursor = result.value.nextCursor
      items.value = eachOnce([...(items.peek() ?? []), ...result.value.data])
      hasMore.value = cursor !== null && items.value.length < MAX_ITEMS
    })
  }

  /** Keeps the first item of each key. */
  const eachOnce = (all: readonly Item[]) =>
    [...new Map(all.toReversed().map(item => [keyOf(item), item])).values()].toReversed().slice(0, MAX_ITEMS)

  first.request(ending.signal)
  return {
    items,
    failure,
    hasMore,
    isLoadingMore,
    loadMore: () => void loadMore(),
    reload: () => first.request(ending.signal),
    restart() {
      ending.abort()
      ending = new AbortController()
      batch(() => {
        pages = 0
        cursor = null
        hasMore.value = false
        isLoadingMore.value = false
      })
      first.request(ending.signal)
    },
    stop() {
      ending.abort()
      first.stop()
    },
  }
}
