import { unwrap } from '#client/clientError.ts'
import type { AbortSignalLike } from '#client/ending.ts'
import type { LaunchesEvent, LaunchesFilter, Token, Trade, TradesEvent, TradesFilter } from '#client/generated/types.ts'
import type { ListPage } from '#client/rest/calls.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { GapEvent } from './liveTypes.ts'

/** Most pages that are read for a gap: 50,000 trades, or 10,000 launches. */
const MAX_PAGES = 100

const TRADES_PER_PAGE = 500
const TOKENS_PER_PAGE = 100

/** Later than every event of a block. */
const LAST_LOG_INDEX = Number.MAX_SAFE_INTEGER

export interface Gap {
  /** Exclusive. */
  readonly from: string
  readonly to: string
  readonly reorgs: number
  /** Addresses of the tokens of the block of `from` that were delivered. */
  readonly delivered: ReadonlySet<string>
  readonly signal: AbortSignalLike
}

/** The events of a gap in order, read over REST; at the end a `gap` where some are left out. */
export type Repair<Event> = (gap: Gap) => AsyncGenerator<Event | GapEvent, undefined, undefined>

/** @throws the `TokenwireError` of a page that failed; an error when REST is behind the channel */
export function missedTrades(client: Tokenwire, { launchpads, ...filter }: TradesFilter): Repair<TradesEvent> {
  return async function* repair({ from, to, reorgs, signal }) {
    const query = {
      ...filter,
      ...(launchpads === undefined ? {} : { launchpad: launchpads }),
      order: 'asc',
      limit: TRADES_PER_PAGE,
      toBlock: blockOf(to),
    } as const
    let start: { readonly after: string } | { readonly cursor: string } = { after: from }
    let reached = from
    for (let page = 0; page < MAX_PAGES; page++) {
      const { data, nextCursor, asOfBlock }: ListPage<Trade> = unwrap(await client.marketTrades({ ...query, ...start }, { signal }))
      expectToReach(asOfBlock, to)
      for (const [block, trades] of byBlock(data, trade => trade.blockNumber)) {
        reached = trades.at(-1)?.id ?? reached
        yield { type: 'trades', cursor: reached, reorgs, block, data: trades }
      }
      if (nextCursor === null) return undefined
      start = { cursor: nextCursor }
    }
    yield { type: 'gap', from: reached, cursor: to, reorgs }
    return undefined
  }
}

/** Tokens have no log index: those of one block are in the order of the list. The same errors as `missedTrades`. */
export function missedLaunches(client: Tokenwire, { launchpads, creators }: LaunchesFilter): Repair<LaunchesEvent> {
  const [creator] = creators ?? []
  const wanted = creators && new Set(creators.map(address => address.toLowerCase()))
  const query = {
    ...(launchpads === undefined ? {} : { launchpad: launchpads }),
    ...(creators?.length === 1 && creator !== undefined ? { creator } : {}),
    limit: TOKENS_PER_PAGE,
  } as const
  return async function* repair({ from, to, reorgs, delivered, signal }) {
    const missed: Token[] = []
    let start: { readonly cursor?: string } = {}
    for (let page = 0, isDone = false; !isDone; page++) {
      if (page === MAX_PAGES) {
        yield { type: 'gap', from, cursor: to, reorgs }
        return undefined
      }
      const { data, nextCursor, asOfBlock }: ListPage<Token> = unwrap(await client.tokens({ ...query, ...start }, { signal }))
      expectToReach(asOfBlock, to)
      for (const token of data) {
        const block = Number(token.createdBlock)
        isDone ||= block < blockOf(from)
        if (isDone || block > blockOf(to) || wanted?.has(token.creator) === false) continue
        // Tokens of the block of `from` may be delivered already: `LAST_LOG_INDEX` says that all are, `delivered` names those of this run.
        if (block > blockOf(from) || (logIndexOf(from) < LAST_LOG_INDEX && !delivered.has(token.address))) missed.push(token)
      }
      isDone ||= nextCursor === null
      if (nextCursor !== null) start = { cursor: nextCursor }
    }
    for (const [block, data] of byBlock(missed.reverse(), token => token.createdBlock)) {
      yield { type: 'launches', cursor: Number(block) < blockOf(to) ? `${block}-${LAST_LOG_INDEX}` : to, reorgs, block, data }
    }
    return undefined
  }
}

/** Reads nothing and reports the gap. */
export async function* reportedGap({ from, to, reorgs }: Gap): AsyncGenerator<GapEvent, undefined, undefined> {
  yield { type: 'gap', from, cursor: to, reorgs }
  return undefined
}

/** Whether one place is later than another. */
export function isAfter(place: string, other: string): boolean {
  return blockOf(place) - blockOf(other) > 0 || (blockOf(place) === blockOf(other) && logIndexOf(place) > logIndexOf(other))
}

export function blockOf(place: string): number {
  return Number(place.split('-')[0])
}

function logIndexOf(place: string): number {
  return Number(place.split('-')[1])
}

/** A server that reads a replica may know less over REST than the channel has delivered. */
export function expectToReach(asOfBlock: string | null, to: string): void {
  if (Number(asOfBlock) < blockOf(to)) throw new Error(`REST has not reached block ${blockOf(to)}`)
}

function byBlock<Item>(items: readonly Item[], of: (item: Item) => string): Iterable<readonly [block: string, items: readonly Item[]]> {
  const blocks = new Map<string, Item[]>()
  for (const item of items) {
    const block = of(item)
    const held = blocks.get(block)
    if (held === undefined) blocks.set(block, [item])
    else held.push(item)
  }
  return blocks
}
