import type { Logger } from 'pino'
import type { ChainSource, ChainTip } from '#chain/chainSource.ts'
import { extendChain, type LocalChain } from '#chain/localChain.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { TokenwireError } from '#errors'
import { createBackfill } from './backfill.ts'
import type { BackfillReport } from './backfillReport.ts'
import { createFollow, liveBatch } from './follow.ts'
import type { IndexerStateRecorder } from './indexerState.ts'
import { type PlannedBlocks, plan } from './plan.ts'
import type { BlockBatch, BlockSink, Watchlist } from './ports.ts'
import { reconcile } from './reconcile.ts'
import { findReorg } from './reorg.ts'

/** What one step came to. */
export type Advance = { readonly kind: 'committed'; readonly block: CommittedBlock } | { readonly kind: 'idle' }

export interface AdvancerOptions {
  readonly source: ChainSource
  readonly sink: BlockSink
  readonly watchlist: Watchlist
  readonly state: Pick<IndexerStateRecorder, 'indexed' | 'reorged' | 'trouble'>
  readonly report: BackfillReport
  readonly logger: Logger
}

/** Takes the index one batch further at a time. */
export interface Advancer {
  /**
   * One step towards the tip. After a failure the next step begins from what the database says, with nothing that was fetched before.
   *
   * @throws `TokenwireError` `reorg_too_deep` when indexed blocks are no longer on the chain; what fetching or committing threw
   */
  advance(tip: ChainTip): Promise<Advance>
  /** Whether `advance` would do anything at this tip. */
  hasWork(tip: ChainTip): boolean
  /** Begins no further commit; resolves when the one under way has ended. */
  stop(): Promise<void>
}

const IDLE: Advance = { kind: 'idle' }

export function createAdvancer(options: AdvancerOptions): Advancer {
  const { source, sink, watchlist, state, report, logger } = options
  const { startBlock } = watchlist
  const backfill = createBackfill({ source, watchlist })
  const follow = createFollow({ source })
  /** `null`: to be asked of the database. */
  let local: LocalChain | null = null
  /** A batch whose commit failed: whether it is in the database is not known. */
  let uncertain: BlockBatch | null = null
  let underWay: Promise<unknown> = Promise.resolve()
  let stopped = false

  const commit = async (batch: BlockBatch): Promise<Advance> => {
    if (stopped) return IDLE
    uncertain = batch
    const committing = sink.commit(batch)
    underWay = committing.catch(() => undefined)
    const block = await committing
    uncertain = null
    state.indexed(batch.to)
    state.trouble('indexing', null)
    report.committed(batch)
    return { kind: 'committed', block }
  }

  /** Learns where the database stands. A batch that is in it after all is asked for again: its result was never emitted. */
  const resume = async (tip: ChainTip): Promise<LocalChain | Advance> => {
    const recent = await sink.recentBlocks()
    const cursor = recent.at(-1)
    state.indexed(cursor ?? null)
    if (uncertain !== null && cursor?.hash === uncertain.to.hash) return commit(uncertain)
    uncertain = null
    // Below the tip, comparing with the confirmed block tells nothing of the cursor: it has to be looked up.
    if (cursor !== undefined && cursor.number < tip.head.number) {
      const { hash } = await source.header(cursor.number)
      if (hash !== cursor.hash) return replaced(recent, tip)
    }
    return recent
  }

  /** Here the replacement is to be fetched and swapped in. Until then indexing ends, and the service keeps what it has. */
  const replaced = async (chain: LocalChain, tip: ChainTip): Promise<never> => {
    const { depth, ancestor } = await findReorg(source, chain, tip.head.number)
    const details = { cursor: chain.at(-1)?.number, depth, atLeast: ancestor === null, ancestor: ancestor?.number ?? null }
    state.reorged(depth)
    logger.error(details, 'indexed blocks are no longer on the chain')
    const blocks = `${ancestor === null ? 'at least ' : ''}${depth} indexed block(s) up to block ${details.cursor}`
    throw new TokenwireError('reorg_too_deep', `the chain has replaced ${blocks}; indexing has stopped`, { details })
  }

  const fetchNext = async (next: PlannedBlocks): Promise<{ readonly batch: BlockBatch; readonly first: BlockHeader }> => {
    if (next.kind === 'backfill') return backfill.range(next.from, next.target)
    const block = await follow.block(next.from, next.target)
    return { batch: liveBatch(block, watchlist), first: block.header }
  }

  const step = async (tip: ChainTip): Promise<Advance> => {
    if (local === null) {
      const resumed = await resume(tip)
      if ('kind' in resumed) return resumed
      local = resumed
    }
    const chain = local
    const next = plan(chain, tip, startBlock)
    report.planned(next)
    switch (next.kind) {
      case 'idle':
        state.trouble('indexing', null)
        return IDLE
      case 'ahead':
        state.trouble('indexing', `block ${chain.at(-1)?.number} is indexed, but the chain ends at block ${tip.head.number}`)
        return IDLE
      case 'reorg':
        return replaced(chain, tip)
      case 'follow':
      case 'backfill': {
        const { batch, first } = await fetchNext(next)
        // What was fetched ahead may be of a fork that is gone; that is found out there, too.
        if (reconcile(chain, first).kind !== 'append') return replaced(chain, tip)
        const committed = await commit(batch)
        if (committed.kind === 'committed') local = extendChain(chain, batch.to)
        return committed
      }
    }
  }

  return {
    advance: async tip => {
      try {
        return await step(tip)
      } catch (error) {
        local = null
        backfill.forget()
        follow.forget()
        throw error
      }
    },
    hasWork: tip => !stopped && (local === null || !['idle', 'ahead'].includes(plan(local, tip, startBlock).kind)),
    stop: async () => {
      stopped = true
      await underWay
    },
  }
}
