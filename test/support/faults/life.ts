import { randomUUID } from 'node:crypto'
import type { MikroORM } from '@mikro-orm/postgresql'
import { createChainSource } from '#chain/chainSource.ts'
import { readGenesisHash } from '#chain/readGenesisHash.ts'
import { createRpc, type Rpc, type RpcOptions } from '#chain/rpc.ts'
import { silentLogger } from '#test/support/database.ts'
import { type RunningIndexer, runIndexer } from '#test/support/indexing.ts'
import type { ManualClock } from '#test/support/manualClock.ts'
import { createSettlingSink } from '#test/support/settlingSink.ts'
import { type OpenedIndex, openIndex } from '#test/support/simulatedIndex.ts'

/** What a process of the service is between its start and its end, as far as indexing goes. */
export interface Life {
  readonly rpc: Rpc
  readonly index: OpenedIndex
  readonly running: RunningIndexer
  /** See `SettlingSink`. */
  isSettled(): boolean
}

export interface LifeOptions {
  readonly rpc: Pick<RpcOptions, 'urls' | 'random' | 'fetch'>
  readonly orm: MikroORM
  readonly clock: ManualClock
  readonly confirmations: number
  readonly maxReorgDepth: number
  /** Told when a reorg begins to be swapped and when that has ended. */
  readonly onSwap: (isSwapping: boolean) => void
}

const RPC_TIMEOUT_MS = 80
const SMALL_RANGES = { leastBlocks: 1, mostBlocks: 6, targetLogs: 20 }

/**
 * Builds and starts it in the order of `main.ts`.
 *
 * @throws what stands in the way of the start; then nothing is left running
 */
export async function startLife({ rpc: rpcOptions, orm, clock, confirmations, maxReorgDepth, onSwap }: LifeOptions): Promise<Life> {
  const rpc = createRpc({ ...rpcOptions, chainId: 1, logger: silentLogger, clock, timeoutMs: RPC_TIMEOUT_MS })
  try {
    await rpc.connect()
    const genesisHash = await readGenesisHash(createChainSource({ rpc }))
    const index = await openIndex({ orm }, { genesisHash, maxReorgDepth, writer: randomUUID() })
    const swap: OpenedIndex['sink']['swap'] = async replacement => {
      onSwap(true)
      try {
        return await index.sink.swap(replacement)
      } finally {
        onSwap(false)
      }
    }
    const { sink, isSettled } = createSettlingSink({ ...index.sink, swap })
    const running = runIndexer({
      rpc,
      index: { sink, watchlist: index.directory },
      confirmations,
      maxReorgDepth,
      followBlocks: maxReorgDepth,
      backfillBounds: SMALL_RANGES,
      // Of few blocks most would be too near the head to be committed together.
      settledBlocks: 2,
      clock,
    })
    return { rpc, index, running, isSettled }
  } catch (error) {
    rpc.close()
    throw error
  }
}
