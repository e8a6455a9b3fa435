import type { ChainSource } from '#chain/chainSource.ts'
import type { BlockWithLogs } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { ANNOUNCING_STEPS, type BlockBatch, type Watchlist } from '#sync/ports.ts'

export interface FollowOptions {
  readonly source: Pick<ChainSource, 'blockWithLogs'>
  /** How many blocks are fetched ahead of the one that is asked for. Default 11. */
  readonly ahead?: number
}

/** Fetches block by block, a few ahead. */
export interface Follow {
  /**
   * The block with its logs; some blocks after it are begun, up to a few before `target`.
   *
   * @throws what fetching threw
   */
  block(number: number, target: number): Promise<BlockWithLogs>
  /**
   * The block and those after it, at most `most`: to be committed together. It ends early where blocks do not link up or one can't be fetched,
   * which then is noticed with the next one, and where they hold much.
   *
   * @throws what fetching the first one threw
   */
  run(number: number, target: number, most: number): Promise<readonly [BlockWithLogs, ...BlockWithLogs[]]>
}

/**
 * Blocks so close to the target are fetched when it is their turn. What was fetched ahead and then replaced by a fork would be indexed
 * all the same, since it still fits the blocks before it.
 */
export const NOT_AHEAD_BLOCKS = 8

/** A run ends when it holds so many logs: bounds the length of its transaction. */
const MOST_RUN_LOGS = 5_000

type Outcome = { readonly ok: true; readonly block: BlockWithLogs } | { readonly ok: false; readonly error: unknown }

export function createFollow({ source, ahead = 11 }: FollowOptions): Follow {
  const fetched = new Map<number, Promise<Outcome>>()

  // Never rejects: a block that is fetched ahead may fail while nobody is waiting for it.
  const begin = (number: number): Promise<Outcome> => {
    const known = fetched.get(number)
    if (known !== undefined) return known
    const outcome = source.blockWithLogs(number).then(
      (block): Outcome => ({ ok: true, block }),
      (error: unknown): Outcome => ({ ok: false, error }),
    )
    fetched.set(number, outcome)
    return outcome
  }

  const take = async (number: number, target: number): Promise<BlockWithLogs> => {
    for (const known of fetched.keys()) if (known < number || known > number + ahead) fetched.delete(known)
    const wanted = begin(number)
    for (let next = number + 1; next <= Math.min(target - NOT_AHEAD_BLOCKS, number + ahead); next++) void begin(next)
    const outcome = await wanted
    fetched.delete(number)
    if (!outcome.ok) throw outcome.error
    return outcome.block
  }

  return {
    block: take,
    run: async (number, target, most) => {
      const run: [BlockWithLogs, ...BlockWithLogs[]] = [await take(number, target)]
      for (let logs = run[0].logs.length; run.length < most && logs < MOST_RUN_LOGS; ) {
        // It is asked for again as the first of the next run. From a provider that fails now and then, all of a long run would seldom come.
        const block = await take(number + run.length, target).catch(() => null)
        if (block === null || block.header.parentHash !== run.at(-1)?.header.hash) break
        run.push(block)
        logs += block.logs.length
      }
      return run
    },
  }
}

/**
 * The batch of one block: the logs, as far as they are understood, of the addresses that are watched, and of those that the block itself adds, wherever in it they are announced.
 *
 * @param announced addresses and ids of pools that blocks before it add and that are not committed yet; what this one adds is added to it
 */
export function liveBatch({ header, logs }: BlockWithLogs, watchlist: Watchlist, announced = new Set<Hex>()): BlockBatch {
  const kept = watchedLogs(logs, watchlist, announced)
  return { from: header.number, to: header, headers: kept.length === 0 ? [] : [header], logs: kept, live: true }
}

/**
 * Blocks that are committed together, as one batch: with more of them after it than what time alone changes is left alone for.
 *
 * @param announced as of `liveBatch`
 */
export function runBatch(run: readonly [BlockWithLogs, ...BlockWithLogs[]], watchlist: Watchlist, announced = new Set<Hex>()): BlockBatch {
  const batches = run.map(block => liveBatch(block, watchlist, announced))
  const blocks = run.map(({ header }) => header)
  return {
    from: run[0].header.number,
    to: blocks.at(-1) ?? run[0].header,
    headers: batches.flatMap(({ headers }) => headers),
    logs: batches.flatMap(({ logs }) => logs),
    live: true,
    behind: true,
    blocks,
  }
}

function watchedLogs(logs: readonly ChainLog[], watchlist: Watchlist, announced: Set<Hex>): readonly ChainLog[] {
  const understood = logs.filter(({ topics: [topic] }) => watchlist.isUnderstood?.(topic) ?? true)
  const isWatched = ({ address }: ChainLog) => watchlist.has(address) || announced.has(address)
  let kept = understood.filter(isWatched)
  // What is announced may announce something itself: a curve its pool.
  for (let step = 0; step < ANNOUNCING_STEPS; step++) {
    const before = announced.size
    for (const key of watchlist.discover(kept)) announced.add(key)
    if (announced.size === before) break
    kept = understood.filter(isWatched)
  }
  return kept
}
