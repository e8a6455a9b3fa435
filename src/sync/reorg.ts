import type { ChainSource } from '#chain/chainSource.ts'
import type { BlockHeader, IndexedBlock } from '#domain/block.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { blockAt } from './localChain.ts'

/** A fork that replaces indexed blocks, as all providers show it. `depth`: how many of them. */
export type Reorg =
  /**
   * It leaves the indexed chain after `ancestor`, or within a run of blocks that were committed together, of which `ancestor` is the newest before: to
   * a place within a run the index can't go back.
   */
  | { readonly kind: 'fork'; readonly ancestor: BlockHeader; readonly depth: number }
  /** None of the indexed blocks is on it, from the very first one on. */
  | { readonly kind: 'whole'; readonly depth: number }
  /** None of the remembered blocks is on it, and there are older ones: at least `depth`. */
  | { readonly kind: 'forgotten'; readonly depth: number }

type ReorgSource = Pick<ChainSource, 'headerOfEach' | 'headers'>

/**
 * Makes sure that the chain has really left the indexed blocks, and finds where.
 *
 * @param head the newest block that the chain has now
 * @param startBlock the first block that is indexed
 * @throws `RpcError` `inconsistent` while any healthy provider still has the indexed block: then they disagree, and asking again decides
 */
export async function findReorg(source: ReorgSource, local: readonly IndexedBlock[], head: number, startBlock: number): Promise<Reorg> {
  const cursor = local.at(-1)
  if (cursor === undefined) throw new TypeError('nothing is indexed that a reorg could replace')
  const shared = blockAt(local, Math.min(cursor.number, head))
  if (shared === undefined) throw new RpcError({ kind: 'missing', what: `the chain up to block ${cursor.number}` })
  const shown = await source.headerOfEach(shared.number)
  if (shown.some(({ hash }) => hash === shared.hash)) {
    throw new RpcError({ kind: 'inconsistent', what: `a provider has indexed block ${shared.number} on its chain, another one has not` })
  }
  const now = await source.headers(local.filter(({ number }) => number < shared.number).map(({ number }) => number))
  const shownHashes = new Map(now.map(({ number, hash }) => [number, hash]))
  const kept = local.filter(({ number, hash }) => shownHashes.get(number) === hash)
  const depth = cursor.number - (kept.at(-1)?.number ?? cursor.number - local.length)
  const ancestor = kept.findLast(({ joined }) => joined !== true)
  if (ancestor !== undefined) return { kind: 'fork', ancestor, depth }
  return { kind: kept.length === 0 && local[0]?.number === startBlock ? 'whole' : 'forgotten', depth }
}
