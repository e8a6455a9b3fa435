import { type Observable, Subject } from 'rxjs'
import type { EncodedBlock } from '#bus/encodedBlock.ts'
import type { Address } from '#domain/address.ts'
import type { FromReceiver, ThreadView, ToReceiver } from './messages.ts'
import { createThreadStatus, type ThreadStatus } from './threadStatus.ts'
import { createWatchNotices } from './watchNotices.ts'

/** A thread's end of the messages by which the indexing thread hands it committed blocks. */
export interface BlockReceiver {
  /** Takes the indexing thread's messages. */
  hear(message: ToReceiver): void
  /** Every commit in order. A block is acknowledged when its subscribers return. */
  readonly blocks: Observable<EncodedBlock>
  complete(): void
  watch(token: Address): void
  unwatch(token: Address): void
  /** Takes a report that arrived in another way. */
  reported(view: ThreadView): void
  /** `null`: the indexing thread has not reported yet. */
  status(): Omit<ThreadStatus, 'update'> | null
}

/** @param now `monotonicMs` */
export function createBlockReceiver(send: (message: FromReceiver) => void, now: () => number): BlockReceiver {
  const blocks = new Subject<EncodedBlock>()
  const notices = createWatchNotices({ send: (began, ended) => send({ kind: 'watched', began, ended }) })
  let status: ThreadStatus | null = null
  const reported = (view: ThreadView) => {
    status ??= createThreadStatus(view, now)
    status.update(view)
  }
  return {
    hear: message => {
      switch (message.kind) {
        case 'committed':
          // First, so that no client learns of a block that health does not show.
          reported(message.view)
          blocks.next(message.block)
          send({ kind: 'taken' })
          return
        case 'view':
          reported(message.view)
          send({ kind: 'taken' })
          return
        case 'noted':
          notices.acknowledged()
          return
      }
    },
    blocks,
    complete: () => blocks.complete(),
    watch: notices.began,
    unwatch: notices.ended,
    reported,
    status: () => status,
  }
}
