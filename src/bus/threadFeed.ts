import type { Observable } from 'rxjs'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { BlockFeed } from './blockFeed.ts'

export interface ThreadFeedOptions {
  /** Of the indexing thread, which reads the states of watched tokens in each commit's transaction. */
  readonly blocks: Observable<CommittedBlock>
  watch(token: Address): void
  unwatch(token: Address): void
  stop(): Promise<void>
}

/** Carries blocks between threads of one process, where no message is lost. Indexing begins with `start`. */
export function createThreadFeed({ blocks, watch, unwatch, stop }: ThreadFeedOptions): BlockFeed {
  return {
    watch,
    unwatch,
    start: consumer =>
      void blocks.subscribe(block => {
        consumer.changed([...block.tokens.map(({ token }) => token.address), ...block.unread, ...block.dropped])
        consumer.dispatch(block)
      }),
    health: () => ({ carrier: 'thread', connected: true, waitingMs: 0, replica: null }),
    stop,
  }
}
