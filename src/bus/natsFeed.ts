import type { Logger } from 'pino'
import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import type { IndexerReport } from '#resources/health.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { type Announcement, announcementOf, readNewestCommit } from '#store/rows/announcement.ts'
import { readWriter } from '#store/rows/identity.ts'
import { type BlockFeed, type EncodedBlock, NO_STATES, stateText } from './blockFeed.ts'
import { createDatabaseFeed, type DatabaseFeedOptions } from './databaseFeed.ts'
import type { Nats } from './natsConnection.ts'

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

/*
 * The messages over NATS: for each commit first the state of every changed token, each under a subject of its own, then the commit. All
 * are JSON. Subjects contain the name of the process that indexes. So no other database shares them, nor a copy of this database that
 * another process indexes.
 */

export interface CommitMessage extends Announcement {
  /** Rises by one with each message: a gap means a lost message. */
  readonly count: number
}

/** Most tokens that a commit names. With more, it says that any token may have changed. */
const MAX_NAMED = 10_000
/** 16 trades and 20 holders take some 20 KB. A larger state, of a token whose creator wrote much more, is read from the database. */
export const MAX_STATE_MESSAGE_BYTES = 65_536
/** The default limit of a NATS server for a message. 10,000 addresses take 450 KB. */
const MAX_COMMIT_BYTES = 1_048_576

export interface Publisher {
  readonly chainId: number
  /** The name under which the process that indexes has claimed the database. */
  readonly writer: string
}

export function commitSubject({ chainId, writer }: Publisher): string {
  return `tokenwire.${chainId}.${writer}.commit`
}

export function tokenSubject({ chainId, writer }: Publisher, token: Address): string {
  return `tokenwire.${chainId}.${writer}.token.${token}`
}

const whole = z.number().int().min(0)
const commitMessageSchema = announcementOf(MAX_NAMED).extend({ count: whole })

/** @throws when the message is no commit */
export function parseCommitMessage(message: Uint8Array): CommitMessage {
  return commitMessageSchema.parse(parseJson(message, MAX_COMMIT_BYTES))
}

/** The fields that are read before a state reaches its actor. An actor that fails because of other fields is replaced. */
const stateSchema = z.object({
  token: z.object({ address: z.string(), sequence: whole }),
  recent: z.object({ trades: z.array(z.unknown()) }),
  holders: z.array(z.unknown()),
})

/** @throws when the message is no state of the token */
function parseState(message: Uint8Array, token: Address): TokenSnapshot {
  const state = parseJson(message, MAX_STATE_MESSAGE_BYTES)
  const { address } = stateSchema.parse(state).token
  if (address !== token) throw new TypeError(`it is a state of ${address.slice(0, token.length)}`)
  return state as TokenSnapshot
}

function parseJson(message: Uint8Array, maxBytes: number): unknown {
  if (message.length > maxBytes) throw new RangeError(`it has ${message.length} bytes, more than ${maxBytes}`)
  return JSON.parse(Buffer.from(message.buffer, message.byteOffset, message.length).toString())
}

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
