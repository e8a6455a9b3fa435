import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { isLogged } from '#async/logSampling.ts'
import { mapBounded } from '#async/mapBounded.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lockCursor } from '#store/rows/cursor.ts'
import { readStalePositions, type StalePosition, type UncollectedAmount, writeUncollected } from '#store/rows/lpFees.ts'
import { type AskedBefore, askPosition } from './askPosition.ts'

export interface RefresherOptions {
  readonly rpc: Pick<Rpc, 'ask'>
  readonly adapters: readonly Pick<LaunchpadAdapter, 'launchpad' | 'lpPositions'>[]
  /** For reading. */
  readonly db: Queryable
  /** Runs the work in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<T>(work: (db: Queryable) => Promise<T>): Promise<T>
  /** The name under which the database was claimed. */
  readonly writer: string
  /** A position is asked for at most once in so many blocks; 0: never. */
  readonly everyBlocks: number
  /** Whether indexing is far behind: nothing is asked then, of blocks whose state the providers may have dropped. */
  isBehind(): boolean
  readonly logger: Logger
}

/**
 * Keeps in the database what lies uncollected in locked positions: of those whose pool moved, as of the newest block. It works beside the
 * indexing, one pass at a time, and what fails is tried again after the next block.
 */
export interface Refresher {
  /** To be told of every commit. Returns at once. */
  committed(block: Pick<CommittedBlock, 'number' | 'hash' | 'tokens' | 'unread'>): void
  /** Resolves when no pass is under way. */
  settled(): Promise<void>
  /** Begins no further commit; resolves when the one under way has ended. Questions that are under way end with `rpc.close()`. */
  stop(): Promise<void>
}

/** In one pass: bounds what one block costs the providers. */
const POSITIONS_PER_PASS = 20
const QUESTIONS_AT_ONCE = 2
/** Tokens that are remembered as changed; with more, the tables are asked which. */
const MOST_PENDING = 2_000
/** A commit that changed more tokens without telling their states makes the tables be asked: there are such after a backfilled range. */
const MOST_UNREAD = 500

type Block = Pick<CommittedBlock, 'number' | 'hash'>

type Asked =
  | { readonly kind: 'found'; readonly amount: UncollectedAmount }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'not-asked' }

export function createRefresher(options: RefresherOptions): Refresher {
  const { rpc, db, transaction, writer, everyBlocks, isBehind, logger } = options
  const rewards = new Map(
    options.adapters.flatMap(({ launchpad, lpPositions }) => (lpPositions === undefined ? [] : [[launchpad, lpPositions]])),
  )
  const before: AskedBefore = { withoutSimulation: new Set(), managers: new Map() }
  let pending = new Set<Address>()
  /** Whether every token whose position may have changed is pending. Not after a start, a backfilled range or a reorg. */
  let complete = false
  let newest: Block | null = null
  let writing: Promise<unknown> = Promise.resolve()
  let stopped = false

  const note = ({ number, tokens, unread }: Parameters<Refresher['committed']>[0]) => {
    // What was known of dropped blocks is gone from the tables.
    if (unread.length > MOST_UNREAD || (newest !== null && number <= newest.number)) complete = false
    for (const { token } of tokens) if (rewards.has(token.launchpad)) pending.add(token.address)
    // Tokens that nobody watches, of any launchpad: which of them have a position the tables say.
    if (unread.length <= MOST_UNREAD) for (const token of unread) pending.add(token)
    if (pending.size <= MOST_PENDING) return
    pending = new Set([...pending].slice(0, MOST_PENDING))
    complete = false
  }

  /** What changed and was not asked for so shortly before; what is left of the rest stays pending. */
  const findDue = async (block: Block): Promise<readonly StalePosition[]> => {
    const asked = pending
    pending = new Set()
    const searches = !complete && asked.size < MOST_PENDING / 2
    // What a commit says meanwhile counts: it may not be seen by the search.
    if (searches) complete = true
    try {
      const known = asked.size === 0 ? [] : await readStalePositions(db, { among: [...asked], limit: MOST_PENDING })
      const all = searches ? await readStalePositions(db, { among: null, limit: MOST_PENDING }) : []
      if (all.length === MOST_PENDING) complete = false
      const stale = new Map([...known, ...all].map(position => [position.token, position]))
      for (const token of stale.keys()) pending.add(token)
      return [...stale.values()]
        .filter(({ createdBlock }) => createdBlock <= block.number)
        .filter(({ askedAt }) => askedAt === null || askedAt <= block.number - everyBlocks)
        .slice(0, POSITIONS_PER_PASS)
    } catch (error) {
      for (const token of asked) pending.add(token)
      if (searches) complete = false
      throw error
    }
  }

  const askFor = async (position: StalePosition, block: Block): Promise<Asked> => {
    const { token, launchpad, positionId, tokenIsToken0, creatorFeeBps } = position
    const positions = rewards.get(launchpad)
    if (positions === undefined || stopped) return { kind: 'not-asked' }
    try {
      const found = await askPosition(rpc, { rewards: positions, positionId, creatorPercent: creatorFeeBps, block }, before)
      if (found === null) return { kind: 'found', amount: { token, amounts: null } }
      const { amount0, amount1 } = found
      const amounts = tokenIsToken0 ? { token: amount0, quote: amount1 } : { token: amount1, quote: amount0 }
      return { kind: 'found', amount: { token, amounts } }
    } catch (error) {
      if (faultOf(error) === null) throw error
      return { kind: 'failed', error }
    }
  }

  const pass = async (block: Block): Promise<void> => {
    const asked = await mapBounded(await findDue(block), QUESTIONS_AT_ONCE, position => askFor(position, block))
    if (stopped) return
    const found = asked.flatMap(one => (one.kind === 'found' ? [one.amount] : []))
    if (found.length > 0) {
      writing = transaction(async db => {
        await lockCursor(db, writer)
        await writeUncollected(db, block, found)
      })
      await writing
    }
    // One that is not answered keeps the others from nothing.
    const failed = asked.find(one => one.kind === 'failed')
    if (failed !== undefined) throw failed.error
  }

  const refreshes = coalesce<Block>(pass, (err, { number }, failures) => {
    if (isLogged(failures)) logger.warn({ block: number, failures, err }, 'what lies in positions could not be asked for')
  })

  return {
    committed: block => {
      if (rewards.size === 0 || everyBlocks === 0 || stopped) return
      note(block)
      newest = { number: block.number, hash: block.hash }
      if (isBehind()) return
      refreshes.request(newest)
    },
    settled: refreshes.settled,
    stop: async () => {
      stopped = true
      refreshes.stop()
      await writing.catch(() => undefined)
    },
  }
}
