import type { Logger } from 'pino'
import type { Queryable } from '#store/connection/queryable.ts'
import { readNewestCommit } from '#store/rows/announcement.ts'
import { type EncodedBlock, stateText } from './encodedBlock.ts'
import type { Nats } from './natsConnection.ts'
import { type CommitMessage, commitSubject, MAX_NAMED, MAX_STATE_MESSAGE_BYTES, type Publisher, tokenSubject } from './natsMessages.ts'

export interface NatsOutletOptions extends Publisher {
  readonly nats: Pick<Nats, 'publish' | 'maxMessageBytes' | 'isConnected'>
  readonly db: Queryable
  readonly logger: Logger
}

export interface NatsOutlet {
  /** To be called with each committed block, in order. Never throws, never waits. */
  publish(block: EncodedBlock): void
  /** While it is not, nothing is published. */
  isConnected(): boolean
  /** Resolves when everything is published. */
  stop(): Promise<void>
}

/**
 * The indexer's end of the carrier NATS. Gateways find in the database what can't be published: states that are larger than the server's
 * messages may be, and which tokens changed where their names don't fit into one message.
 */
export function createNatsOutlet({ nats, db, logger, ...publisher }: NatsOutletOptions): NatsOutlet {
  let count = 0
  let last: Promise<void> = Promise.resolve()

  const publish = async (block: EncodedBlock): Promise<void> => {
    const { states, unread, dropped, number, hash, timestamp } = block
    count++
    // The block's own commit or a later one, so that a replica that shows it shows the block.
    const commit = (await readNewestCommit(db))?.commit ?? 0
    const mostBytes = nats.maxMessageBytes
    for (const state of states) {
      if (state.length <= Math.min(mostBytes, MAX_STATE_MESSAGE_BYTES))
        nats.publish(tokenSubject(publisher, state.token), stateText(block, state))
    }
    const changed = [...states.map(({ token }) => token), ...unread]
    const textOf = (named: Pick<CommitMessage, 'changed' | 'dropped'>) =>
      JSON.stringify({ count, commit, number, hash, timestamp, ...named } satisfies CommitMessage)
    const named = changed.length + dropped.length <= MAX_NAMED ? textOf({ changed, dropped }) : null
    const fits = named !== null && named.length <= mostBytes
    nats.publish(commitSubject(publisher), fits ? named : textOf({ changed: null, dropped: [] }))
  }

  return {
    publish: block => {
      last = last.then(() => publish(block)).catch((err: unknown) => logger.warn({ err }, 'a commit was not published over NATS'))
    },
    isConnected: () => nats.isConnected,
    stop: () => last,
  }
}
