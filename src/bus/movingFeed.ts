import type { Address } from '#domain/address.ts'
import type { BlockConsumer, BlockFeed } from './blockFeed.ts'

export interface MovingFeed extends BlockFeed {
  /** Passes on what `next`, which is not started yet, brings from now on. Resolves when the feed before it has stopped. */
  moveTo(next: BlockFeed): Promise<void>
  /** What was read of any token may be outdated. */
  outdate(): void
}

/** A feed whose source can be replaced, as by the feed of another index. The new one compares all watched tokens with its database. */
export function createMovingFeed(first: BlockFeed): MovingFeed {
  const watched = new Set<Address>()
  let current = first
  let consumer: BlockConsumer | null = null
  let isStopped = false
  return {
    watch: token => {
      watched.add(token)
      current.watch(token)
    },
    unwatch: token => {
      watched.delete(token)
      current.unwatch(token)
    },
    start: to => {
      consumer = to
      current.start(to)
    },
    health: () => current.health(),
    stop: () => {
      isStopped = true
      return current.stop()
    },
    outdate: () => consumer?.changed(null),
    moveTo: async next => {
      const before = current
      for (const token of watched) next.watch(token)
      current = next
      await before.stop()
      if (isStopped || consumer === null) return
      consumer.changed(null)
      next.start(consumer)
    },
  }
}
