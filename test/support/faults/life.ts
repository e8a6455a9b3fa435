import { randomUUID } from 'node:crypto'
import type { MikroORM } from '@mikro-orm/postgresql'
import { createChainSource } from '#chain/chainSource.ts'
import { readGenesisHash } from '#chain/readGenesisHash.ts'
import { createRpc, type Rpc, type RpcOptions } from '#rpc/rpc.ts'
import { silentLogger } from '#test/support/database.ts'
import { type RunningIndexer, runIndexer } from '#test/support/indexing.ts'
import type { ManualClock } from '#test/support/manualClock.ts'
import { type OpenedIndex, openIndex } from '#test/support/simulatedIndex.ts'
import { rememberStart, type StartingCursor } from '#test/support/startingCursor.ts'
import type { UnderWay } from '#test/support/underWay.ts'

/** What a process of the service is between its start and its end, as far as indexing goes. */
export interface Life {
  readonly rpc: Rpc
  readonly index: OpenedIndex
  readonly running: RunningIndexer
  /** The name under which it claimed the database. */
  readonly writer: string
  /** Where the database stood when it began. */
  readonly startedAt: StartingCursor['startedAt']
}

export interface LifeOptions {
  readonly rpc: Pick<RpcOptions, 'urls' | 'random' | 'fetch'>
  readonly orm: MikroORM
  readonly clock: ManualClock
  readonly confirmations: number
  readonly maxReorgDepth: number
  readonly mostListed: number | undefined
  readonly underWay: UnderWay
  /** Told when a reorg begins to be swapped and when that has ended. */
  readonly onSwap: (isSwapping: boolean) => void
}

const RPC_TIMEOUT_MS = 80
const SMALL_RANGES = { leastBlocks: 1, mostBlocks: 6, targetLogs: 20 }

/**
 * Builds and starts it in the order of `openIndexing.ts`.
 *
 * @throws what stands in the way of the start; then nothing is left running
 */
export async function startLife({
  rpc: rpcOptions,
  orm,
  clock,
  confirmations,
  maxReorgDepth,
  mostListed,
  underWay,
  onSwap,
}: LifeOptions): Promise<Life> {
  const rpc = createRpc({ ...rpcOptions, chainId: 1, logger: silentLogger, clock, timeoutMs: RPC_TIMEOUT_MS })
  try {
    await rpc.connect()
    const genesisHash = await readGenesisHash(createChainSource({ rpc }))
    const writer = randomUUID()
    const index = await openIndex({ orm }, { genesisHash, maxReorgDepth, writer })
    const { sink, startedAt } = rememberStart(index.sink)
    const swap: OpenedIndex['sink']['swap'] = async replacement => {
      onSwap(true)
      try {
        return await underWay.during(sink.swap(replacement))
      } finally {
        onSwap(false)
      }
    }
    const running = runIndexer({
      rpc,
      index: {
        sink: {
          ...sink,
          recentBlocks: () => underWay.during(sink.recentBlocks()),
          commit: batch => underWay.during(sink.commit(batch)),
          swap,
          settle: at => underWay.during(sink.settle(at)),
        },
        watchlist: index.directory,
      },
      confirmations,
      genesisHash,
      maxReorgDepth,
      followBlocks: maxReorgDepth,
      backfillBounds: SMALL_RANGES,
      // Of few blocks most would be too near the head to be committed together.
      settledBlocks: 2,
      mostListed,
      clock,
    })
    return { rpc, index, running, writer, startedAt }
  } catch (error) {
    rpc.close()
    throw error
  }
}
