import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import type { BlockFeed } from './blockFeed.ts'
import { createDatabaseFeed, type DatabaseFeedOptions } from './databaseFeed.ts'
import type { Nats } from './natsConnection.ts'
import { type CommitMessage, commitSubject, tokenSubject } from './natsMessages.ts'
import { NO_STATES } from './pendingCommits.ts'

export interface NatsFeedOptions extends DatabaseFeedOptions {
  /** Closed with the feed. */
  readonly nats: Nats
}

/**
 * Hears over NATS which tokens each commit changed, and the states of the watched ones. What is lost, or was published before a
 * subscription arrived, is read from the database.
 */
export function createNatsFeed({ nats, ...options }: NatsFeedOptions): BlockFeed {
  const { chainId, now, logger } = options
  const feed = createDatabaseFeed(options, { channels: [], silence: silenceOf(chainId) })
  const subscriptions = new Map<Address, () => void>()
  /** States whose commit has not been announced yet. */
  let arrived = new Map<Address, TokenSnapshot>()
  let indexer: string | null = null
  let count = 0
  nats.onLost(() => {
    arrived = new Map()
    feed.missed()
  })

  const hear = (work: () => void) => {
    try {
      work()
    } catch (err) {
      logger.warn({ err }, 'a message over NATS that is none of an indexer was ignored')
      feed.missed()
    }
  }

  const announced = ({ changed, dropped, indexer: from, count: counted, ...newest }: CommitMessage): void => {
    const isNext = from === indexer && counted === count + 1
    indexer = from
    count = counted
    const states = arrived
    arrived = new Map()
    const common = { newest, sinceMs: now() }
    if (!isNext || changed === null) feed.announced({ ...common, changed: null, dropped: new Set(), states: NO_STATES })
    else feed.announced({ ...common, changed: new Set(changed), dropped: new Set(dropped), states })
  }

  return {
    watch: token => {
      feed.watch(token)
      if (subscriptions.has(token)) return
      const end = nats.subscribe(tokenSubject(chainId, token), text =>
        hear(() => void arrived.set(token, JSON.parse(text) as TokenSnapshot)),
      )
      subscriptions.set(token, end)
    },
    unwatch: token => {
      feed.unwatch(token)
      subscriptions.get(token)?.()
      subscriptions.delete(token)
    },
    start: consumer => {
      nats.subscribe(commitSubject(chainId), text => hear(() => announced(JSON.parse(text) as CommitMessage)))
      feed.start(consumer)
    },
    health: () => {
      const { connected, reconnects, ...health } = feed.health()
      return { carrier: 'nats', connected: connected && nats.isConnected, reconnects: reconnects + nats.reconnects, ...health }
    },
    stop: async () => {
      await feed.stop()
      await nats.close()
    },
  }
}

function silenceOf(chainId: number): string {
  const remedy = 'give this gateway and the process that indexes the same NATS_URL'
  return `NATS_URL: the database has commits that are not published there for chain ${chainId}; ${remedy}`
}
