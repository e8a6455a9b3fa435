import type { LiveHandle } from '#client/follow.ts'
import type { ListRow } from '#client/generated/types.ts'
import type { Live } from '#client/live/liveTypes.ts'
import type { Address } from '#domain/address.ts'
import { listParameters } from './listQuery.ts'
import type { MarketQuery } from './route.ts'

/** A list's first page, as the service sends it. */
export interface LiveOrder {
  /** Kept while the connection is lost; `null`: the service has not sent it. */
  readonly newest: readonly Address[] | null
  /** Whether the service is asked for it: then its rows follow without being watched one by one. */
  readonly isFollowing: boolean
  /** Follows this list in place of another one; does nothing when it is the same. */
  follow(query: MarketQuery): void
  /** Until the next `follow`. */
  stop(): void
}

export function createLiveOrder(
  live: Pick<Live, 'list'>,
  limit: number,
  onRows: (rows: readonly ListRow[]) => void,
  onEnd: () => void,
): LiveOrder {
  let newest: readonly Address[] | null = null
  let followed = ''
  let handle: LiveHandle | null = null

  function forget(): void {
    newest = null
    handle = null
    onEnd()
  }

  function stop(): void {
    handle?.close()
    followed = ''
    forget()
  }

  return {
    get newest() {
      return newest
    },
    get isFollowing() {
      return handle !== null
    },
    follow(query) {
      // Results of a search have no live order.
      const filters = query.q.trim() === '' ? { ...listParameters(query, Date.now()), limit } : null
      const key = JSON.stringify(filters)
      if (key === followed) return
      stop()
      followed = key
      if (filters === null) return
      handle = live.list(
        filters,
        ({ data }) => {
          newest = data.map(({ address }) => address)
          onRows(data)
        },
        { onEnd: forget },
      )
    },
    stop,
  }
}
