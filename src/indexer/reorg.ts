import type { ChainSource } from '#chain/chainSource.ts'
import { blockAt } from '#chain/localChain.ts'
import { RpcError } from '#chain/rpcFault.ts'
import type { BlockHeader, IndexedBlock } from '#domain/block.ts'

/** A fork that replaces indexed blocks, as all providers show it. */
export interface Reorg {
  /**
   * The newest indexed block that is still on the chain and to which the index can go back: of a run of blocks that were committed together,
   * only the last is. `null` when none of the remembered ones is.
   */
  readonly ancestor: BlockHeader | null
  /** How many indexed blocks the chain has dropped; at least so many when `ancestor` is `null`. */
  readonly depth: number
}

type ReorgSource = Pick<ChainSource, 'headerOfEach' | 'headers'>

/**
 * Makes sure that the chain has really left the indexed blocks, and finds where.
 *
 * @param head the newest block that the chain has now
 * @throws `RpcError` `inconsistent` while any healthy provider still has the indexed block: then they disagree, and asking again decides
 */
export async function findReorg(source: ReorgSource, local: readonly IndexedBlock[], head: number): Promise<Reorg> {
  const cursor = local.at(-1)
  if (cursor === undefined) throw new TypeError('nothing is indexed that a reorg could replace')
  const shared = blockAt(local, Math.min(cursor.number, head))
  if (shared === undefined) throw new RpcError({ kind: 'missing', what: `the chain up to block ${cursor.number}` })
  const shown = await source.headerOfEach(shared.number)
  if (shown.length === 0) throw new RpcError({ kind: 'missing', what: `block ${shared.number}` })
  if (shown.some(({ hash }) => hash === shared.hash)) {
    throw new RpcError({ kind: 'inconsistent', what: `a provider has indexed block ${shared.number} on its chain, another one has not` })
  }
  const now = await source.headers(local.filter(({ number }) => number < shared.number).map(({ number }) => number))
  const shownHashes = new Map(now.map(({ number, hash }) => [number, hash]))
  const kept = local.filter(({ number, hash }) => shownHashes.get(number) === hash)
  const newest = kept.at(-1)
  const ancestor = kept.findLast(({ joined }) => joined !== true) ?? null
  return { ancestor, depth: newest === undefined ? local.length : cursor.number - newest.number }
}
