import type { Live, LiveHandle } from '#client/live/liveTypes.ts'
import type { Address } from '#domain/address.ts'
import { listParameters } from './listQuery.ts'
import type { MarketQuery } from './route.ts'

/** The order of a list's first page, as the service sends it. */
export interface LiveOrder {
  /** Kept while the connection is lost; `null`: the service has not sent it. */
  readonly newest: readonly Address[] | null
  /** Follows this list in place of another one; does nothing when it is the same. */
  follow(query: MarketQuery): void
  /** Until the next `follow`. */
  stop(): void
}

export function createLiveOrder(live: Pick<Live, 'list'>, limit: number, onOrder: (order: readonly Address[]) => void): LiveOrder {
  let newest: readonly Address[] | null = null
  let followed = ''
  let handle: LiveHandle | null = null

  function forget(): void {
    newest = null
  }

  function stop(): void {
    handle?.close()
    handle = null
    followed = ''
    forget()
  }

  return {
    get newest() {
      return newest
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
          onOrder(newest)
        },
        { onEnd: forget },
      )
    },
    stop,
  }
}
