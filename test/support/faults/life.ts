import { randomUUID } from 'node:crypto'
import type { MikroORM } from '@mikro-orm/postgresql'
import { createChainSource } from '#chain/chainSource.ts'
import { createRpc, type Rpc, type RpcOptions } from '#rpc/rpc.ts'
import type { Committer } from '#sync/committer.ts'
import { readGenesisHash } from '#sync/replacement.ts'
import { silentLogger } from '#test/support/database.ts'
import { type RunningSync, runSync } from '#test/support/indexing.ts'
import type { ManualClock } from '#test/support/manualClock.ts'
import { type OpenedIndex, openIndex } from '#test/support/simulatedIndex.ts'
import { rememberStart, type StartingCursor } from '#test/support/startingCursor.ts'
import type { UnderWay } from '#test/support/underWay.ts'

/** The indexing part of one process of the service, from its start to its end. */
export interface Life {
  readonly rpc: Rpc
  readonly index: OpenedIndex
  readonly running: RunningSync
  /** The name under which it claimed the database. */
  readonly writer: string
  /** The cursor at its start. */
  readonly startedAt: StartingCursor['startedAt']
}

export interface LifeOptions {
  readonly rpc: Pick<RpcOptions, 'urls' | 'random' | 'fetch'>
  readonly orm: MikroORM
  readonly clock: ManualClock
  readonly confirmations: number
  readonly maxReorgDepth: number
  readonly underWay: UnderWay
  /** All that a step waits for, also on sockets, where requests are not counted one by one. */
  readonly steps: UnderWay
  /** Called at the start and the end of a reorg's replacement. */
  readonly onReplace: (isReplacing: boolean) => void
}

/** Longer than an answer takes on a machine with other work. */
export const RPC_TIMEOUT_MS = 400
const SMALL_RANGES = { minBlocks: 1, maxBlocks: 6, targetLogs: 20 }

/**
 * Builds and starts it in the order of `openIndexing.ts`.
 *
 * @throws the error of a start that fails; then nothing is left running
 */
export async function startLife({
  rpc: rpcOptions,
  orm,
  clock,
  confirmations,
  maxReorgDepth,
  underWay,
  steps,
  onReplace,
}: LifeOptions): Promise<Life> {
  const rpc = createRpc({ ...rpcOptions, chainId: 1, logger: silentLogger, clock, timeoutMs: RPC_TIMEOUT_MS })
  try {
    await rpc.connect()
    const genesisHash = await readGenesisHash(createChainSource({ rpc }))
    const writer = randomUUID()
    const index = await openIndex({ orm }, { genesisHash, maxReorgDepth, writer })
    const { committer, startedAt } = rememberStart(index.committer)
    const commit: Committer['commit'] = async one => {
      if (one.kind === 'replace') onReplace(true)
      try {
        return await steps.during(underWay.during(committer.commit(one)))
      } finally {
        if (one.kind === 'replace') onReplace(false)
      }
    }
    const running = runSync({
      rpc: {
        ...rpc,
        ask: (...question) => steps.during(rpc.ask(...question)),
        askEach: (...questions) => steps.during(rpc.askEach(...questions)),
        second: () => {
          const second = rpc.second()
          return second && { ...second, ask: (...question) => steps.during(second.ask(...question)) }
        },
      },
      index: {
        committer: {
          ...committer,
          recentBlocks: () => steps.during(underWay.during(committer.recentBlocks())),
          prepare: (...batch) => steps.during(committer.prepare(...batch)),
          commit,
        },
        watchlist: index.directory,
      },
      confirmations,
      genesisHash,
      maxReorgDepth,
      // With the usual distance most of the few blocks would be too near the head to be committed together.
      tuning: { followBlocks: maxReorgDepth, ranges: SMALL_RANGES, liveBlocks: 2 },
      clock,
    })
    return { rpc, index, running, writer, startedAt }
  } catch (error) {
    rpc.close()
    throw error
  }
}
