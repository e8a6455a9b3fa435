import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { finalize, type Observable, type SchedulerLike, Subject, share, takeUntil } from 'rxjs'
import { isLogged } from '#async/logSampling.ts'
import type { ChainSource } from '#chain/chainSource.ts'
import { type HeadHint, heads } from '#chain/heads.ts'
import { afterPoll, INITIAL_POLL_SCHEDULE, nextPollMs } from '#chain/pollSchedule.ts'
import { type Clock, systemClock } from '#clock'
import type { Confirmations } from '#config'
import type { Hex } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { hasCode, TokenwireError } from '#errors'
import type { Rpc } from '#rpc/rpc.ts'
import { createAdvancer } from './advance.ts'
import { createBackfillReport } from './backfillReport.ts'
import type { BackfillBounds } from './backfillSize.ts'
import { createIndexerState, type IndexerStatus } from './indexerState.ts'
import { pipeline } from './pipeline.ts'
import type { BlockSink, Watchlist } from './ports.ts'
import { retryPolicy } from './retryPolicy.ts'
import { withTipBlocks } from './tipBlocks.ts'

export interface IndexerOptions {
  readonly rpc: Pick<Rpc, 'health' | 'lastAnswerAtMs' | 'subscribeHeads'>
  readonly source: ChainSource
  readonly sink: BlockSink
  readonly watchlist: Watchlist
  readonly confirmations: Confirmations
  /** The hash of the chain's first block, by which the database knows its chain: an index begins on no other one. Default: not known. */
  readonly genesisHash?: Hex
  /** Reorgs up to so many indexed blocks are swapped; what the sink was told. Default 0: the first one ends indexing. */
  readonly maxReorgDepth?: number
  /** How many blocks before the confirmed head are followed one by one, and how large the ranges before them are. Defaults: the advancer's. */
  readonly followBlocks?: number
  readonly backfillBounds?: BackfillBounds
  /** How many blocks before the confirmed head are committed one by one. Default: the advancer's. */
  readonly settledBlocks?: number
  readonly logger: Logger
  /** Default: real time. */
  readonly clock?: Clock
  /** For the waits between attempts. Default: real time. */
  readonly scheduler?: SchedulerLike
  /** Default `Math.random`. */
  readonly random?: () => number
  /** Default: the provider's pushed heads, or polling in step with its blocks. */
  readonly hints?: Observable<HeadHint>
}

export interface Indexer {
  /**
   * Indexes while it is subscribed to: everything that is committed, in order, after it is committed. A backfilled range is one element,
   * a followed block is one. Never errors; completes on `stop`. Once ended it can't be begun again.
   */
  readonly blocks: Observable<CommittedBlock>
  /** For the health and the chain statistics. */
  readonly view: IndexerStatus
  /** Begins no further commit; resolves when the one under way has been emitted, and `blocks` has ended. Fetches that are under way end with `rpc.close()`. */
  stop(): Promise<void>
}

export function createIndexer(options: IndexerOptions): Indexer {
  const { rpc, sink, watchlist, confirmations, logger, clock = systemClock, random = Math.random, scheduler } = options
  const source = withTipBlocks(options.source)
  const nowMs = () => clock.nowMs()
  const { startBlock } = watchlist
  const state = createIndexerState({ rpc, startBlock, nowMs, blocksAtOnce: provider => source.blocksAtOnce(provider) })
  const report = createBackfillReport({ state, startBlock, logger, nowMs })
  const { followBlocks, backfillBounds, settledBlocks, maxReorgDepth = 0, genesisHash = null } = options
  const bounds = { maxReorgDepth, followBlocks, backfillBounds, settledBlocks }
  const advancer = createAdvancer({ source, sink, watchlist, state, report, genesisHash, logger, ...bounds })
  const stopped = new Subject<void>()
  /** Whether the chain has left the index behind: it is looked at again now and then. */
  let leftBehind = false
  const timing = scheduler === undefined ? {} : { scheduler }
  let schedule = INITIAL_POLL_SCHEDULE
  const looked = new Subject<void>()
  /** @param head `null`: the look failed */
  const noteLook = (head: number | null) => {
    schedule = afterPoll(schedule, head, state.chain().blockTimeMs)
    looked.next()
  }
  const untilNextMs = () => nextPollMs(schedule, state.chain().blockTimeMs, state.state().backfill !== null)

  const blocks = pipeline({
    ...timing,
    hints: options.hints ?? heads({ ...timing, rpc, looked, untilNextMs }),
    fetchTip: hint => {
      state.looking()
      return source.tip(confirmations, hint === 'pushed')
    },
    advance: async tip => {
      const advanced = await advancer.advance(tip)
      if (leftBehind) state.stopped(null)
      leftBehind = false
      return advanced
    },
    hasWork: advancer.hasWork,
    retryPolicy: (error, attempt) => retryPolicy(error, attempt, random()),
    onTip: tip => {
      state.sawTip(tip)
      state.trouble('chain', null)
      noteLook(tip.head.number)
    },
    onTipFault: error => {
      state.trouble('chain', sentenceOf(error))
      noteLook(null)
    },
    onRetry: (error, attempt, afterMs) => {
      state.trouble('indexing', sentenceOf(error))
      if (hasCode(error, 'reorg_too_deep')) {
        if (!leftBehind) logger.fatal({ err: error }, 'indexing has stopped; what is indexed is still served')
        leftBehind = true
        state.stopped(sentenceOf(error))
        return
      }
      if (isLogged(attempt)) logger.warn({ err: error, attempt, retryInMs: Math.round(afterMs) }, 'indexing failed, trying again')
    },
    onGiveUp: error => {
      state.stopped(sentenceOf(error))
      logger.fatal({ err: error }, 'indexing has stopped; what is indexed is still served')
    },
  }).pipe(
    takeUntil(stopped),
    finalize(() => void advancer.stop()),
    share(),
  )

  return {
    blocks,
    view: { state: state.state, chain: state.chain },
    stop: async () => {
      // What is being committed now is emitted too: clients are owed it, and nobody would tell them later.
      await advancer.stop()
      await nextTurn()
      stopped.next()
    },
  }
}

/** For everybody to read. Only this service's own errors are known to hold no secrets. */
function sentenceOf(error: unknown): string {
  if (error instanceof TokenwireError) return error.message
  return 'a step of indexing failed; the log has the error'
}
