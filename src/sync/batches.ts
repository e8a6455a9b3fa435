import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { createBackfill } from './backfill.ts'
import type { BackfillBounds } from './backfillSize.ts'
import { createFollow, liveBatch, NOT_AHEAD_BLOCKS, runBatch } from './fetch/follow.ts'
import { fetchCrowdedBlock, nullIfCrowded } from './fetch/oversizedBlock.ts'
import { type PlannedBlocks, type Portion, planBlocks, portionOf } from './plan.ts'
import type { BlockBatch, BlockSink, FetchedBatch, ProjectedBatch, Watchlist } from './ports.ts'

export interface BatchesOptions {
  readonly source: Pick<ChainSource, 'headers' | 'logsInRange' | 'blockWithLogs'>
  readonly watchlist: Watchlist
  /** What batches with more of them behind are prepared with. Default: they are only fetched. */
  readonly prepare?: BlockSink['prepare']
  /** So many blocks before the confirmed head are followed. */
  readonly followBlocks: number
  /** So many blocks before the confirmed head, and it, are committed one by one. */
  readonly settledBlocks: number
  readonly bounds?: BackfillBounds | undefined
}

export interface NextBatch {
  readonly batch: BlockBatch | ProjectedBatch
  /** The header of the first block, which tells what the batch follows on. */
  readonly first: BlockHeader
}

/**
 * The batches of blocks in their order. While one is committed the next is prepared, and the one after that fetched: the chain, the database and
 * this process each have something to do.
 */
export interface Batches {
  /**
   * The batch with which the planned blocks begin; those after it are begun, as far as they need not wait for their turn.
   *
   * @param confirmed the newest confirmed block
   * @throws what fetching and preparing threw
   */
  next(planned: PlannedBlocks, confirmed: number): Promise<NextBatch>
  /** Drops what was begun ahead: it may be of a chain that is no more, or rest on a commit that never was. */
  forget(): void
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }

/** Never rejects: it may fail while nobody is waiting for it. */
interface Begun<T> {
  readonly portion: Portion
  readonly outcome: Promise<Outcome<T>>
}

interface PreparedBatch extends NextBatch, Pick<FetchedBatch, 'discovered'> {
  /** The batch after it, which is being fetched; `null`: it has to wait for its turn. */
  readonly following: Begun<FetchedBatch> | null
}

/** What is not committed yet when the batch after it is prepared. */
type Previous = Pick<PreparedBatch, 'batch' | 'discovered'>

export function createBatches({ source, watchlist, prepare, followBlocks, settledBlocks, bounds }: BatchesOptions): Batches {
  const { startBlock } = watchlist
  const backfill = createBackfill({ source, watchlist, bounds })
  /** So many confirmed blocks have to come after what is begun ahead. A block is always waited for: what is before it has to be committed. */
  const after: Readonly<Record<Portion['kind'], number>> = {
    range: followBlocks,
    run: Math.max(settledBlocks + 1, NOT_AHEAD_BLOCKS),
    block: Number.POSITIVE_INFINITY,
  }
  let ahead: Begun<PreparedBatch> | null = null
  /** Another one once what was begun is forgotten. */
  let follow = createFollow({ source })

  const portionAt = (planned: PlannedBlocks): Portion => {
    const portion = portionOf(planned, startBlock, settledBlocks)
    return portion.kind === 'range' ? { ...portion, to: backfill.endOf(portion.from, portion.to) } : portion
  }

  /** Blocks with all of their logs; where the first one holds too much for that, it alone. */
  const fetchFollowed = async ({ kind, from, to }: Portion, confirmed: number, announced: readonly Hex[]): Promise<FetchedBatch> => {
    const discovered = new Set(announced)
    const followed =
      kind === 'run'
        ? follow.run(from, confirmed, to - from + 1).then(run => runBatch(run, watchlist, discovered))
        : follow.block(from, confirmed).then(block => liveBatch(block, watchlist, discovered))
    const batch = (await followed.catch(nullIfCrowded)) ?? (await fetchCrowdedBlock(source, watchlist, from, discovered))
    for (const key of announced) discovered.delete(key)
    return { batch, first: batch.blocks?.[0] ?? batch.to, discovered: [...discovered] }
  }

  const fetch = (portion: Portion, confirmed: number, announced: readonly Hex[]): Promise<FetchedBatch> =>
    portion.kind === 'range' ? backfill.range(portion.from, portion.to, announced) : fetchFollowed(portion, confirmed, announced)

  const beginFetch = (portion: Portion, confirmed: number, announced: readonly Hex[]): Begun<FetchedBatch> => ({
    portion,
    outcome: outcomeOf(fetch(portion, confirmed, announced)),
  })

  const beginAfter = ({ batch }: FetchedBatch, confirmed: number, announced: readonly Hex[]): Begun<FetchedBatch> | null => {
    const from = batch.to.number + 1
    if (batch.behind !== true || from > confirmed) return null
    const portion = portionAt(planBlocks(from, confirmed, followBlocks))
    const to = Math.min(portion.to, confirmed - after[portion.kind])
    return to < from ? null : beginFetch({ ...portion, to }, confirmed, announced)
  }

  const beginPrepare = ({ portion, outcome }: Begun<FetchedBatch>, previous: Previous | null, confirmed: number): Begun<PreparedBatch> => {
    const begunWith = follow
    // In steps that hold no more of one another than they need: the logs of a range are let go once they are decoded.
    const prepared = outcome.then(valueOf).then(fetched => {
      const { first, discovered } = fetched
      const following = begunWith !== follow ? null : beginAfter(fetched, confirmed, [...(previous?.discovered ?? []), ...discovered])
      return prepareBatch(fetched.batch, previous).then(batch => ({ batch, first, discovered, following }))
    })
    return { portion, outcome: outcomeOf(prepared) }
  }

  const prepareBatch = async (batch: BlockBatch, previous: Previous | null): Promise<BlockBatch | ProjectedBatch> => {
    if (prepare === undefined || batch.behind !== true) return batch
    return prepare(batch, previous !== null && 'changes' in previous.batch ? previous.batch : null)
  }

  const isFit = ({ portion }: Begun<unknown>, from: number, confirmed: number): boolean =>
    portion.from === from && portion.to <= confirmed - after[portion.kind]

  return {
    next: async (planned, confirmed) => {
      const begun = ahead !== null && isFit(ahead, planned.from, confirmed) ? ahead : null
      ahead = null
      const wanted = begun ?? beginPrepare(beginFetch(portionAt(planned), confirmed, []), null, confirmed)
      const { following, ...batch } = valueOf(await wanted.outcome)
      if (following !== null) ahead = beginPrepare(following, batch, confirmed)
      return batch
    },
    forget: () => {
      ahead = null
      follow = createFollow({ source })
    },
  }
}

function outcomeOf<T>(promise: Promise<T>): Promise<Outcome<T>> {
  return promise.then(
    (value): Outcome<T> => ({ ok: true, value }),
    (error: unknown): Outcome<T> => ({ ok: false, error }),
  )
}

function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw outcome.error
  return outcome.value
}
