import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'
import { readWriter } from '#store/rows/identity.ts'
import type { BlockFeed } from './blockFeed.ts'
import { createDatabaseFeed, type DatabaseFeedOptions } from './databaseFeed.ts'
import type { IndexerReport } from './indexerReport.ts'
import type { Nats } from './natsConnection.ts'
import { type CommitMessage, commitSubject, type Publisher, parseCommitMessage, parseState, tokenSubject } from './natsMessages.ts'
import { NO_STATES } from './pendingCommits.ts'

export interface NatsFeedOptions extends DatabaseFeedOptions {
  /** Closed with the feed. */
  readonly nats: Nats
}

/**
 * Receives over NATS which tokens each commit changed, and the states of the watched ones. States that were lost, or published before a
 * subscription reached the server, are read from the database.
 *
 * It listens to the process that has claimed this database and reports through it. So it receives nothing of other databases, nor of one
 * that this database was copied from: the copy has the same claim, but no reports come through it. A report can be forged, the claim can't.
 */
export function createNatsFeed({ nats, ...options }: NatsFeedOptions): BlockFeed {
  const { chainId, now, onReport } = options
  const watched = new Map<Address, () => void>()
  /** The newest report, and the writer that the database named at the last beat. */
  let reported: IndexerReport | null = null
  let claimed: string | null = null
  let publisher: Publisher | null = null
  let endCommits = () => {}
  /** States whose commit has not been announced yet. */
  let arrived = new Map<Address, TokenSnapshot>()
  /** The count of the newest commit. */
  let count: number | null = null

  const feed = createDatabaseFeed(
    {
      ...options,
      onReport: report => {
        reported = report
        follow()
        onReport(report)
      },
    },
    {
      channels: [],
      // Not while one of the two connections is lost: then the servers are away, and nothing is wrong with the setting.
      silence: () => (nats.isConnected && reported?.natsConnected !== false ? silenceOf(chainId) : null),
      isConnected: () => nats.isConnected,
      beat: async primary => {
        claimed = await readWriter(primary)
        follow()
      },
    },
  )
  nats.onLost(() => {
    arrived = new Map()
    feed.carrierLost()
  })

  const announced = ({ changed, dropped, count: counted, ...newest }: CommitMessage): void => {
    const isNext = count !== null && counted === count + 1
    count = counted
    const states = arrived
    arrived = new Map()
    const common = { newest, sinceMs: now() }
    if (!isNext || changed === null) feed.announced({ ...common, changed: null, dropped: new Set(), states: NO_STATES })
    else feed.announced({ ...common, changed: new Set(changed), dropped: new Set(dropped), states })
  }

  const hear = (subject: string, take: (message: Uint8Array) => void): (() => void) =>
    nats.subscribe(subject, message => feed.guarded(subject, () => take(message)))

  const hearToken = (token: Address): (() => void) =>
    publisher === null ? () => {} : hear(tokenSubject(publisher, token), message => void arrived.set(token, parseState(message, token)))

  const follow = (): void => {
    if (claimed === null || claimed !== reported?.writer || claimed === publisher?.writer) return
    endCommits()
    publisher = { chainId, writer: claimed }
    arrived = new Map()
    count = null
    for (const [token, end] of watched) {
      end()
      watched.set(token, hearToken(token))
    }
    endCommits = hear(commitSubject(publisher), message => announced(parseCommitMessage(message)))
    feed.carrierLost()
  }

  return {
    watch: token => {
      feed.watch(token)
      if (!watched.has(token)) watched.set(token, hearToken(token))
    },
    unwatch: token => {
      feed.unwatch(token)
      watched.get(token)?.()
      watched.delete(token)
      arrived.delete(token)
    },
    start: feed.start,
    health: () => {
      const { reconnects, ...health } = feed.health()
      return { carrier: 'nats', reconnects: reconnects + nats.reconnects, ...health }
    },
    stop: async () => {
      await feed.stop()
      await nats.close()
    },
  }
}

function silenceOf(chainId: number): string {
  const remedy = 'give this gateway and the process that indexes into it the same NATS_URL'
  return `NATS_URL: the database has commits that are not published there for it (chain ${chainId}); ${remedy}`
}
