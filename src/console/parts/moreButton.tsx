import type { PagedList } from '#console/state/pagedList.ts'

/** Loads the next page of a list, where there is one. */
export function MoreButton({ list }: { readonly list: Pick<PagedList<never>, 'hasMore' | 'isLoadingMore' | 'loadMore'> }) {
  if (!list.hasMore.value) return null
  return (
    <p class="card-more">
      <button type="button" class="button small" disabled={list.isLoadingMore.value} onClick={() => list.loadMore()}>
        {list.isLoadingMore.value ? 'Loading' : 'Show more'}
      </button>
    </p>
  )
}
