import type { Logger } from 'pino'
import { type ChainCursor, lockCursor, moveCursor, readClockMs, readRecentBlocks, readTokensUpdatedAt } from '#database/chainState.ts'
import { loadRows } from '#database/loadRows.ts'
import type { Queryable } from '#database/queryable.ts'
import { readSnapshots } from '#database/reads/snapshots.ts'
import { writeChanges } from '#database/writeChanges.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { balanceKey, creatorFeeKey, creatorKey, type RowKeys } from '#domain/changes.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { TokenwireError } from '#errors'
import type { LaunchpadAdapter, Watched } from '#launchpads/adapter.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import type { Directory } from '#launchpads/directory.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { BlockBatch, BlockSink } from './ports.ts'
import { project } from './project/project.ts'

/** How far back the local chain is given out for reconciliation. */
const RECENT_BLOCKS = 512

export interface SinkOptions {
  /** Runs the work in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<T>(work: (db: Queryable) => Promise<T>): Promise<T>
  readonly chainId: number
  /** The name under which the database was claimed. */
  readonly writer: string
  readonly weth: Address
  readonly adapters: readonly LaunchpadAdapter[]
  readonly directory: Directory
  /** USD per ETH now, or `null`. */
  ethUsd(): string | null
  /** Monotonic milliseconds. */
  now(): number
  readonly logger: Logger
}

/** Decodes, projects and commits batches of blocks. */
export function createSink(options: SinkOptions): BlockSink {
  return {
    recentBlocks: () => options.transaction(db => readRecentBlocks(db, RECENT_BLOCKS)),
    commit: batch => commitBatch(batch, options),
  }
}

async function commitBatch(batch: BlockBatch, options: SinkOptions): Promise<CommittedBlock> {
  const { adapters, directory, weth, logger } = options
  const discoveries = directory.discoveries(batch.logs)
  const added = new Map(discoveries.map(({ address, watched }) => [address, watched]))
  const lookup = (address: Hex): Watched | undefined => directory.lookup(address) ?? added.get(address)
  const { events, malformed } = decodeLogs({ logs: batch.logs, headers: batch.headers, lookup, adapters, weth })
  const [first] = malformed
  if (first !== undefined) {
    const { blockNumber, txHash, logIndex, address } = first
    logger.warn(
      { count: malformed.length, first: { blockNumber, txHash, logIndex, address } },
      'passed over logs that do not fit their event',
    )
  }
  const ethUsd = batch.live ? options.ethUsd() : null

  const readChanged = async (db: Queryable, addresses: readonly Address[]): Promise<Pick<CommittedBlock, 'tokens' | 'unread'>> =>
    batch.live
      ? { tokens: await readSnapshots(db, { chainId: options.chainId, addresses }), unread: [] }
      : { tokens: [], unread: addresses }

  const changed = await options.transaction(async db => {
    const cursor = await lockCursor(db, options.writer)
    // An earlier attempt at the same batch was committed, and its answer lost.
    if (cursor?.number === batch.to.number && cursor.hash === batch.to.hash)
      return readChanged(db, await readTokensUpdatedAt(db, cursor.committedAtMs))
    assertNext(batch, cursor)
    const rows = await loadRows(db, keysOf(events), batch.to.timestamp)
    const changes = project({
      events,
      rows,
      now: batch.to.timestamp,
      weth,
      ethUsd: ethUsd === null ? null : parseDecimal(ethUsd),
      lookup,
      blocks: [batch.to],
    })
    const committedAtMs = await readClockMs(db)
    await writeChanges(db, changes, committedAtMs)
    await moveCursor(db, batch.to, committedAtMs)
    return readChanged(
      db,
      changes.tokens.map(({ address }) => address),
    )
  })
  directory.add(discoveries)
  return { number: batch.to.number, hash: batch.to.hash, timestamp: batch.to.timestamp, completedAtMs: options.now(), ...changed }
}

function assertNext(batch: BlockBatch, cursor: ChainCursor | null): void {
  if (cursor === null || cursor.number === batch.from - 1) return
  throw new TokenwireError('rpc_inconsistent', `The batch begins at block ${batch.from} and the database is at block ${cursor.number}.`, {
    retryable: true,
    details: { from: batch.from, cursor: cursor.number },
  })
}

function keysOf(events: readonly TokenEvent[]): RowKeys {
  const tokens = new Set<Address>()
  const balances = new Map<string, RowKeys['balances'][number]>()
  const creatorFees = new Map<string, RowKeys['creatorFees'][number]>()
  const creators = new Map<string, RowKeys['creators'][number]>()
  for (const event of events) {
    if (event.kind === 'escrow') {
      const { launchpad, creator, currency } = event
      const key = { launchpad, creator, currency, token: ZERO_ADDRESS }
      creatorFees.set(creatorFeeKey(key), key)
      creators.set(creatorKey(launchpad, creator), { launchpad, creator })
      continue
    }
    const { token } = event
    tokens.add(token)
    if (event.kind === 'transfer') {
      for (const holder of [event.from, event.to]) balances.set(balanceKey(token, holder), { token, holder })
    } else if (event.kind === 'creatorFee') {
      const { launchpad, creator, currency, scope } = event
      const key = { launchpad, creator, currency, token: scope === 'token' ? token : ZERO_ADDRESS }
      creatorFees.set(creatorFeeKey(key), key)
    }
  }
  return { tokens: [...tokens], balances: [...balances.values()], creatorFees: [...creatorFees.values()], creators: [...creators.values()] }
}
