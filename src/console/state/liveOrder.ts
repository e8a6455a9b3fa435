import type { Address } from '#domain/address.ts'
import type { ChannelFeed } from './channelFeed.ts'
import { listParameters } from './listQuery.ts'
import type { MarketQuery } from './route.ts'

/** The order of a list's first page, as the channel `list` tells it. */
export interface LiveOrder {
  /** `null`: the channel does not tell it, now or at all. */
  readonly newest: readonly Address[] | null
  /** Follows this list in place of another one; does nothing when it is the same. */
  follow(query: MarketQuery): void
  /** Until the next `follow`. */
  stop(): void
}

export function createLiveOrder(feed: ChannelFeed, limit: number, onOrder: (order: readonly Address[]) => void): LiveOrder {
  let newest: readonly Address[] | null = null
  let followed = ''
  let end = () => {}

  function forget(): void {
    newest = null
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
      followed = key
      end()
      end = () => {}
      forget()
      if (filters === null) return
      end = feed.subscribe({
        channel: 'list',
        filters,
        onMessage(message) {
          if (message.type === 'error') forget()
          if (message.type !== 'list') return
          newest = message.data
          onOrder(newest)
        },
        onLost: forget,
      })
    },
    stop() {
      end()
      end = () => {}
      forget()
      followed = ''
    },
  }
}
