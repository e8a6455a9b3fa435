import type { Observable } from 'rxjs'
import type { Address } from '#domain/address.ts'
import type { BlockFeed } from './blockFeed.ts'
import { decodeBlock, type EncodedBlock } from './encodedBlock.ts'

export interface ThreadFeedOptions {
  /** Blocks of the indexing thread, which reads the states of watched tokens in each commit's transaction. */
  readonly blocks: Observable<EncodedBlock>
  watch(token: Address): void
  unwatch(token: Address): void
  stop(): Promise<void>
}

/**
 * Carries blocks from the indexing thread to the main one, where no message is lost. A block has the states of watched tokens;
 * a changed token whose state it lacks is `unread`.
 */
export function createThreadFeed({ blocks, watch, unwatch, stop }: ThreadFeedOptions): BlockFeed {
  const watched = new Set<Address>()
  const isWatched = (token: Address) => watched.has(token)
  return {
    watch: token => {
      watched.add(token)
      watch(token)
    },
    unwatch: token => {
      watched.delete(token)
      unwatch(token)
    },
    start: consumer =>
      void blocks.subscribe(block => {
        consumer.changed([...block.states.map(({ token }) => token), ...block.unread, ...block.dropped])
        consumer.dispatch(decodeBlock(block, isWatched))
      }),
    health: () => ({ carrier: 'thread', connected: true, disconnectedMs: 0, waitingMs: 0, behindBlocks: 0, reconnects: 0, replica: null }),
    stop,
  }
}
