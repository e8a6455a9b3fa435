import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { inconsistent, missing } from '#rpc/rpcFault.ts'
import { reorgTooDeep } from '#store/replaceBlocks.ts'
import type { BlockRow } from '#tables/block.ts'
import type { Committer } from './committer.ts'
import { endOf, fetchReplacement, verifyConfirmedBlock, verifyStartBlock } from './fetch/replacement.ts'
import type { Watchlist } from './fetch/span.ts'
import type { Prefetch } from './prefetch.ts'
import { type Action, blockAt, type Commit, extendChain, type LocalChain, reconcile, type SyncEvent, type SyncState } from './state.ts'

export interface PerformOptions {
  readonly source: ChainSource
  readonly committer: Committer
  readonly watchlist: Watchlist
  readonly prefetch: Prefetch
  /** The hash of block 0, by which the database knows its chain. */
  readonly genesisHash: Hex
  readonly maxReorgDepth: number
}

/** The result of an action: something learned, or something to commit with the blocks to remember after it. */
export type ActionResult =
  | { readonly kind: 'learned'; readonly event: SyncEvent }
  | { readonly kind: 'commit'; readonly commit: Commit; readonly blocks: readonly BlockHeader[] }

/**
 * Does what an action needs of the chain and the database, up to the commit.
 *
 * @throws `TokenwireError` `reorg_too_deep` when the chain has replaced more indexed blocks than can be undone; what fetching threw
 */
export async function performAction(
  action: Exclude<Action, { kind: 'wait' }>,
  state: SyncState,
  tip: ChainTip,
  options: PerformOptions,
): Promise<ActionResult> {
  const { source, committer, watchlist, prefetch, genesisHash } = options
  const { confirmed, head } = tip
  switch (action.kind) {
    case 'readCursor':
      prefetch.discard()
      return learned({ kind: 'cursorRead', blocks: await committer.recentBlocks() })
    case 'repeatCommit':
      return { kind: 'commit', commit: action.commit, blocks: [] }
    case 'compareCursor': {
      const { number, hash } = action.cursor
      const shown = await source.header(number)
      return learned({ kind: 'cursorCompared', head: head.hash, isReplaced: shown.hash !== hash })
    }
    case 'verifyTip':
      await verifyConfirmedBlock(source, confirmed)
      return learned({ kind: 'tipVerified', confirmed: confirmed.hash })
    case 'verifyStart':
      return learned({ kind: 'startVerified', block: await verifyStartBlock(source, watchlist.startBlock, genesisHash) })
    case 'replaceBlocks':
      prefetch.discard()
      return replacement(tip, options)
    case 'index': {
      const batch = await prefetch.next(action.span, tip)
      if (!followsCursor(batch.first, state)) return learned({ kind: 'forked' })
      return { kind: 'commit', commit: { kind: 'batch', to: batch.to, batch }, blocks: batch.blocks }
    }
    case 'settle':
      // Batches that were prepared for a longer chain were projected from the rows before this commit.
      prefetch.discard()
      return { kind: 'commit', commit: { kind: 'settle', to: action.at }, blocks: [] }
  }
}

function learned(event: SyncEvent): ActionResult {
  return { kind: 'learned', event }
}

/** @throws `RpcError` `inconsistent` when an empty index would begin with another block than a second answer has shown */
function followsCursor(first: BlockHeader, state: SyncState): boolean {
  if (state.kind !== 'known') return false
  const cursor = state.chain.at(-1)
  if (cursor !== undefined) return reconcile(state.chain, first) === 'append'
  if (state.verifiedStart?.hash === first.hash) return true
  throw inconsistent(`two answers to what block ${first.number} is`)
}

/**
 * Fetches the blocks that replaced indexed ones, up to the cursor's height at most. If they are replaced again meanwhile, they do not link
 * up, or the next step finds them replaced.
 */
async function replacement(
  tip: ChainTip,
  { source, committer, watchlist, genesisHash, maxReorgDepth }: PerformOptions,
): Promise<ActionResult> {
  const chain = await committer.recentBlocks()
  const fork = await findFork(source, chain, tip.head.number, watchlist.startBlock)
  const { kind, depth } = fork
  const ancestor = kind === 'fork' ? fork.ancestor : null
  const cursor = chain.at(-1)
  const last = cursor?.number ?? watchlist.startBlock
  if (kind === 'forgotten' || depth > maxReorgDepth) {
    const blocks = `${kind === 'forgotten' ? 'at least ' : ''}${depth} indexed block(s) up to block ${last}`
    throw reorgTooDeep(blocks, { cursor: last, cursorHash: cursor?.hash, depth, ancestor: ancestor?.number ?? null })
  }
  const to = Math.min(last, tip.confirmed.number)
  const replacement = await fetchReplacement({ source, watchlist, ancestor, to, genesisHash })
  const kept: LocalChain = ancestor === null ? [] : chain.filter(({ number }) => number <= ancestor.number)
  return {
    kind: 'commit',
    commit: { kind: 'replace', to: endOf(replacement), replacement, depth },
    blocks: replacement.batches.flatMap(batch => batch.blocks).reduce(extendChain, kept),
  }
}

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
async function findFork(
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
