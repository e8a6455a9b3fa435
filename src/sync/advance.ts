import type { Logger } from 'pino'
import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { TokenwireError } from '#errors'
import { RpcError } from '#rpc/rpcFault.ts'
import type { BackfillReport } from './backfillReport.ts'
import type { BackfillBounds } from './backfillSize.ts'
import { createBatches, type NextBatch } from './batches.ts'
import { confirmFirst } from './fetch/verifyStartBlock.ts'
import type { IndexerStateRecorder } from './indexerState.ts'
import { extendChain, type LocalChain } from './localChain.ts'
import { FOLLOW_BLOCKS, type PlannedBlocks, plan } from './plan.ts'
import { type BlockBatch, type BlockSink, endOf, type ProjectedBatch, type Watchlist } from './ports.ts'
import { reconcile } from './reconcile.ts'
import { findReorg } from './reorg.ts'
import { fetchReplacement } from './replacement.ts'

/** What one step came to. */
export type Advance = { readonly kind: 'committed'; readonly block: CommittedBlock } | { readonly kind: 'idle' }

export interface AdvancerOptions {
  readonly source: Omit<ChainSource, 'tip'>
  readonly sink: BlockSink
  readonly watchlist: Watchlist
  readonly state: Pick<IndexerStateRecorder, 'indexed' | 'reorged' | 'trouble'>
  readonly report: BackfillReport
  /** The hash of the chain's first block, by which the database knows its chain; `null`: not known. */
  readonly genesisHash: Hex | null
  /** Reorgs up to so many indexed blocks are swapped. */
  readonly maxReorgDepth: number
  /** So many blocks before the confirmed head are followed, and at least `maxReorgDepth`. Default `FOLLOW_BLOCKS`. */
  readonly followBlocks?: number | undefined
  /** So many blocks before the confirmed head, and it, are committed one by one. Default `SETTLED_BLOCKS`. */
  readonly settledBlocks?: number | undefined
  /** Default: those of `createBackfill`. */
  readonly backfillBounds?: BackfillBounds | undefined
  readonly logger: Logger
}

/** Takes the index one batch further at a time. */
export interface Advancer {
  /**
   * One step towards the tip. After a failure the next step begins from what the database says, with nothing that was fetched before.
   *
   * @throws `TokenwireError` `reorg_too_deep` when more indexed blocks are no longer on the chain than can be undone; what fetching or
   *   committing threw
   */
  advance(tip: ChainTip): Promise<Advance>
  /** Whether `advance` would do anything at this tip. */
  hasWork(tip: ChainTip): boolean
  /** Begins no further commit; resolves when the one under way has ended. */
  stop(): Promise<void>
}

/** Something to commit; run again, it gives the same answer. */
interface Commit {
  /** Where the index stands after it. */
  readonly to: BlockHeader
  run(): Promise<CommittedBlock>
  /** Takes note of its success. */
  done(): void
}

/** So many blocks before the confirmed head, and it, are each settled in full: an index that is always a block or two late does so, too. */
const SETTLED_BLOCKS = 8

const IDLE: Advance = { kind: 'idle' }

export function createAdvancer(options: AdvancerOptions): Advancer {
  const { source, sink, watchlist, state, report, maxReorgDepth, genesisHash, settledBlocks = SETTLED_BLOCKS, logger } = options
  const { startBlock } = watchlist
  const followBlocks = Math.max(options.followBlocks ?? FOLLOW_BLOCKS, maxReorgDepth)
  const bounds = options.backfillBounds
  const batches = createBatches({ source, watchlist, prepare: sink.prepare, followBlocks, settledBlocks, bounds })
  /** `null`: to be asked of the database. */
  let local: LocalChain | null = null
  /** A commit that failed: whether it is in the database is not known. */
  let uncertain: Commit | null = null
  /** Whether the index was said to be ahead of the chain: to be unsaid when it no longer is, also when there is nothing to index then. */
  let toldAhead = false
  /** The head below which the cursor was looked up last: it need not be again before that moves. */
  let lookedBelow: Hex | null = null
  /** The confirmed block that was asked for a second time and shown as in the tip: it need not be for each of the ranges before it. */
  let shownAgain: Hex | null = null
  /** The cursor at which a reorg was too deep: it is looked for again and counted once. */
  let tooDeepAt: Hex | null = null
  /** Whether the last commit left to the next one what time alone changes, or it is not known: there may be no next one for now. */
  let unsettled = true
  let underWay: Promise<unknown> = Promise.resolve()
  let stopped = false

  const perform = async (commit: Commit): Promise<Advance> => {
    if (stopped) return IDLE
    uncertain = commit
    const committing = commit.run()
    underWay = committing.catch(() => undefined)
    const block = await committing
    uncertain = null
    state.indexed(commit.to)
    state.trouble('indexing', null)
    commit.done()
    return { kind: 'committed', block }
  }

  const batchCommit = (batch: BlockBatch | ProjectedBatch): Commit => ({
    to: batch.to,
    run: () => sink.commit(batch),
    done: () => {
      unsettled = batch.behind === true
      report.committed(batch.to.number, 'changes' in batch ? batch.logCount : batch.logs.length)
    },
  })

  /** The block that is to be settled; `undefined`: none is. */
  const unsettledIn = (chain: LocalChain): BlockHeader | undefined => (unsettled ? chain.at(-1) : undefined)

  /** Where there is nothing to commit, the index is to be as if it had been brought there block by block. */
  const rest = async (chain: LocalChain): Promise<Advance> => {
    const to = unsettledIn(chain)
    if (to === undefined) return IDLE
    // What was prepared ahead, for when the chain is longer again, rests on the rows as they are before.
    batches.forget()
    const done = () => {
      unsettled = false
    }
    return perform({ to, run: () => sink.settle(to), done })
  }

  /** Learns where the database stands. A commit that is in it after all is asked for again: its result was never emitted. */
  const resume = async (tip: ChainTip): Promise<LocalChain | Advance> => {
    const recent = await sink.recentBlocks()
    const cursor = recent.at(-1)
    state.indexed(cursor ?? null)
    if (uncertain !== null && cursor?.hash === uncertain.to.hash) return perform(uncertain)
    uncertain = null
    // Below the tip, comparing with the confirmed block tells nothing of the cursor: it has to be looked up.
    if (cursor !== undefined && cursor.number < tip.head.number && (await isReplaced(recent))) return replaced(tip)
    return recent
  }

  /** Whether the chain has another block at the cursor, as one provider shows it. */
  const isReplaced = async (chain: LocalChain): Promise<boolean> => {
    const cursor = chain.at(-1)
    return cursor !== undefined && (await source.header(cursor.number)).hash !== cursor.hash
  }

  /**
   * Fetches what took the indexed blocks' place, as far as they went, and swaps it in. A replacement that is replaced itself meanwhile is
   * noticed when it does not link up, or by the next step.
   */
  const replaced = async (tip: ChainTip): Promise<Advance> => {
    const chain = await sink.recentBlocks()
    const reorg = await findReorg(source, chain, tip.head.number, startBlock)
    const { kind, depth } = reorg
    const ancestor = kind === 'fork' ? reorg.ancestor : null
    const cursor = chain.at(-1)?.number ?? startBlock
    const details = { cursor, depth, atLeast: kind === 'forgotten', ancestor: ancestor?.number ?? null }
    if (kind === 'forgotten' || depth > maxReorgDepth) {
      const hash = chain.at(-1)?.hash ?? null
      if (tooDeepAt !== hash) {
        state.reorged(depth)
        logger.error(details, 'indexed blocks are no longer on the chain')
        tooDeepAt = hash
      }
      const blocks = `${details.atLeast ? 'at least ' : ''}${depth} indexed block(s) up to block ${cursor}`
      throw new TokenwireError('reorg_too_deep', `the chain has replaced ${blocks}; indexing has stopped`, { details })
    }
    const last = Math.min(cursor, tip.confirmed.number)
    const replacement = await fetchReplacement({ source, watchlist, ancestor, to: last, genesisHash })
    const to = endOf(replacement)
    const done = () => {
      unsettled = replacement.batches.length === 0
      state.reorged(depth)
      logger.warn({ ...details, to: to.number }, 'the chain has replaced indexed blocks; they are swapped')
    }
    const swapped = await perform({ to, run: () => sink.swap(replacement), done })
    local = null
    batches.forget()
    return swapped
  }

  const fetchNext = async (next: PlannedBlocks, { confirmed }: ChainTip): Promise<NextBatch> => {
    if (next.kind === 'follow') return batches.next(next, confirmed.number)
    // How far ranges may go, and with it what can be undone, was told by a tip: of a provider of another chain it would be too far.
    const again = confirmed.hash === shownAgain ? confirmed : source.header(confirmed.number)
    const [range, { hash }] = await Promise.all([batches.next(next, confirmed.number), again])
    if (hash !== confirmed.hash) throw new RpcError({ kind: 'inconsistent', what: `another block ${confirmed.number} than the tip's` })
    shownAgain = hash
    return range
  }

  const step = async (tip: ChainTip): Promise<Advance> => {
    if (local === null) {
      const resumed = await resume(tip)
      if ('kind' in resumed) return resumed
      local = resumed
    }
    const chain = local
    const next = plan(chain, tip, startBlock, followBlocks)
    report.planned(next)
    switch (next.kind) {
      case 'look':
        if (await isReplaced(chain)) return replaced(tip)
        lookedBelow = tip.head.hash
        toldAhead = false
        state.trouble('indexing', null)
        return rest(chain)
      case 'idle':
        toldAhead = false
        state.trouble('indexing', null)
        return rest(chain)
      case 'ahead':
        toldAhead = true
        state.trouble('indexing', `block ${chain.at(-1)?.number} is indexed, but the chain ends at block ${tip.head.number}`)
        return IDLE
      case 'reorg':
        return replaced(tip)
      case 'follow':
      case 'backfill': {
        const { batch, first } = await fetchNext(next, tip)
        if (chain.length === 0) await confirmFirst(source, first, genesisHash)
        // What was fetched ahead may be of a fork that is gone; that is found out there, too.
        if (reconcile(chain, first).kind !== 'append') return replaced(tip)
        const committed = await perform(batchCommit(batch))
        if (committed.kind === 'committed') local = (batch.blocks ?? [batch.to]).reduce(extendChain, chain)
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
        shownAgain = null
        unsettled = true
        batches.forget()
        throw error
      }
    },
    hasWork: tip => {
      if (stopped || local === null) return !stopped
      const { kind } = plan(local, tip, startBlock, followBlocks)
      if (kind === 'look') return toldAhead || lookedBelow !== tip.head.hash || unsettledIn(local) !== undefined
      return kind === 'idle' ? toldAhead || unsettledIn(local) !== undefined : kind !== 'ahead'
    },
    stop: async () => {
      stopped = true
      await underWay
    },
  }
}
