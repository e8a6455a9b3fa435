import type { BlockWithLogs, ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { ANNOUNCING_STEPS, type BlockBatch, type Watchlist } from './ports.ts'

export interface FollowOptions {
  readonly source: Pick<ChainSource, 'blockWithLogs'>
  /** How many blocks are fetched ahead of the one that is being committed. Default 3. */
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
  /** Drops what was fetched ahead: it may be of a chain that is no more. */
  forget(): void
}

/**
 * Blocks so close to the target are fetched when it is their turn. What was fetched ahead and then replaced by a fork would be indexed
 * all the same, since it still fits the blocks before it.
 */
const NOT_AHEAD_BLOCKS = 8

type Outcome = { readonly ok: true; readonly block: BlockWithLogs } | { readonly ok: false; readonly error: unknown }

export function createFollow({ source, ahead = 3 }: FollowOptions): Follow {
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

  return {
    block: async (number, target) => {
      for (const known of fetched.keys()) if (known < number || known > number + ahead) fetched.delete(known)
      const wanted = begin(number)
      for (let next = number + 1; next <= Math.min(target - NOT_AHEAD_BLOCKS, number + ahead); next++) void begin(next)
      const outcome = await wanted
      fetched.delete(number)
      if (!outcome.ok) throw outcome.error
      return outcome.block
    },
    forget: () => fetched.clear(),
  }
}

/**
 * The batch of one block: the logs of the addresses that are watched, and of those that the block itself adds, wherever in it they are announced.
 *
 * @param announced addresses and ids of pools that blocks before it add and that are not committed yet; what this one adds is added to it
 */
export function liveBatch({ header, logs }: BlockWithLogs, watchlist: Watchlist, announced = new Set<Hex>()): BlockBatch {
  const kept = watchedLogs(logs, watchlist, announced)
  return { from: header.number, to: header, headers: kept.length === 0 ? [] : [header], logs: kept, live: true }
}

function watchedLogs(logs: readonly ChainLog[], watchlist: Watchlist, announced: Set<Hex>): readonly ChainLog[] {
  const isWatched = ({ address }: ChainLog) => watchlist.has(address) || announced.has(address)
  let kept = logs.filter(isWatched)
  // What is announced may announce something itself: a curve its pool.
  for (let step = 0; step < ANNOUNCING_STEPS; step++) {
    const before = announced.size
    for (const key of watchlist.discover(kept)) announced.add(key)
    if (announced.size === before) break
    kept = logs.filter(isWatched)
  }
  return kept
}
