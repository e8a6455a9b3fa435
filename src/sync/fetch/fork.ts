import type { ChainSource } from '#chain/chainSource.ts'
import type { BlockHeader } from '#domain/block.ts'
import { inconsistent, missing } from '#rpc/rpcFault.ts'
import { blockAt } from '#sync/localChain.ts'
import type { BlockRow } from '#tables/block.ts'

/** A fork that replaces indexed blocks, as all providers show it. `depth`: how many it replaces. */
export type Fork =
  /**
   * It leaves the indexed chain after `ancestor`. If it leaves between blocks that were committed together, `ancestor` is the newest block
   * before those: the index can't go back to a place between them.
   */
  | { readonly kind: 'fork'; readonly ancestor: BlockHeader; readonly depth: number }
  /** No indexed block is on it, from the start block on. */
  | { readonly kind: 'whole'; readonly depth: number }
  /** No remembered block is on it, and there are older ones: it replaces at least `depth`. */
  | { readonly kind: 'forgotten'; readonly depth: number }

/**
 * Makes sure that the chain has left the indexed blocks, and finds where.
 *
 * @param local the newest indexed blocks, the cursor last
 * @param head the height of the chain now
 * @throws `RpcError` `inconsistent` while any healthy provider still has the indexed block: providers disagree, and asking again decides
 */
export async function findFork(
  source: Pick<ChainSource, 'headerOfEach' | 'headers'>,
  local: readonly BlockRow[],
  head: number,
  startBlock: number,
): Promise<Fork> {
  const cursor = local.at(-1)
  if (cursor === undefined) throw new TypeError('nothing is indexed that a fork could replace')
  const shared = blockAt(local, Math.min(cursor.number, head))
  if (shared === undefined) throw missing(`the chain up to block ${cursor.number}`)
  const shown = await source.headerOfEach(shared.number)
  if (shown.some(({ hash }) => hash === shared.hash)) {
    throw inconsistent(`a provider has indexed block ${shared.number} on its chain, another one has not`)
  }
  const now = await source.headers(local.filter(({ number }) => number < shared.number).map(({ number }) => number))
  const shownHashes = new Map(now.map(({ number, hash }) => [number, hash]))
  const kept = local.filter(({ number, hash }) => shownHashes.get(number) === hash)
  const depth = cursor.number - (kept.at(-1)?.number ?? cursor.number - local.length)
  const ancestor = kept.findLast(({ mergedWithNext }) => !mergedWithNext)
  if (ancestor !== undefined) return { kind: 'fork', ancestor, depth }
  return { kind: kept.length === 0 && local[0]?.number === startBlock ? 'whole' : 'forgotten', depth }
}
