import type { EventFilters } from '#actors/events/eventFilter.ts'
import { EventFilter } from '#actors/events/eventFilter.ts'
import type { ChannelEvent } from '#domain/channelEvent.ts'
import type { Page, TokenCursor, TokensQuery } from '#domain/queries.ts'
import type { Token } from '#domain/token.ts'
import type { TokenSnapshot } from '#domain/tokenSnapshot.ts'
import { addressOf, recentOf, snapshotOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'

/* What is committed and who asks for what, the same in all processes. */

export const CLIENTS = 5_000
/** Each client has two filters, so there are 10,000 distinct ones. */
const TOKENS = 1_000
const MAKERS = 2_000
const LISTS = 1_000
export const LIST_ROWS = 10
const TRADES_PER_BLOCK = 50
const FIRST_SEQUENCE = 1_795_000_000_000
const EPOCH_MS = Date.UTC(2026, 0, 2)

/** What clients subscribe to. */
export type Part = 'events' | 'lists' | 'tokens'
export const PARTS: readonly Part[] = ['events', 'lists', 'tokens']

export const blockNumberOf = (block: number): number => 1_000 + block
export const blockOfNumber = (number: number): number => number - 1_000

/** A block's trades, each of another token. */
export function blockEvents(block: number): readonly ChannelEvent[] {
  return Array.from({ length: TRADES_PER_BLOCK }, (_, index): ChannelEvent => {
    const number = block * TRADES_PER_BLOCK + index
    const token = addressOf(1 + (number % TOKENS))
    const wallet = addressOf(0x10_0000 + ((number * 7_919) % MAKERS))
    const blockNumber = blockNumberOf(block)
    const place = { blockNumber, logIndex: 3 * index + 1 }
    const data = { ...tradeOf(token), id: `${blockNumber}-${place.logIndex}`, maker: wallet, ...place, blockNumber: String(blockNumber) }
    const { side } = data
    return { place, token, wallet, launchpad: 'wow', side, amountWei: 61_700_000_000_000n, status: null, data }
  })
}

/** The states of the tokens that a block's trades touch. */
export function blockSnapshots(block: number): readonly TokenSnapshot[] {
  return blockEvents(block).map(({ token, data }) => {
    const state = snapshotOf(token, FIRST_SEQUENCE + block, { asOfBlock: String(blockNumberOf(block)) })
    return 'market' in data ? state : { ...state, recent: recentOf([data]) }
  })
}

/** The two filters of a client: some tokens, and buys of some wallets. */
export function clientFilters(client: number): readonly [EventFilters, EventFilters] {
  const tokens = [addressOf(1 + (client % TOKENS)), addressOf(1 + ((client * 13 + Math.floor(client / TOKENS)) % TOKENS))]
  const wallets = Array.from({ length: 10 }, (_, index) => addressOf(0x10_0000 + ((client * 31 + index * 197) % MAKERS)))
  return [{ tokens }, { wallets, side: 'buy', minWeth: `0.00000${client}` }]
}

export const listOf = (client: number): number => client % LISTS
export const tokenOfClient = (client: number): number => 1 + (client % TOKENS)

/** The rows of a list at a block, which differ from block to block. */
export function listPage({ minHolders = 0 }: Pick<TokensQuery, 'minHolders'>, block: number): Page<Token, TokenCursor> {
  const data = Array.from({ length: LIST_ROWS }, (_, index) => {
    const token = tokenOf(addressOf(1 + ((minHolders + index) % TOKENS)), FIRST_SEQUENCE + block)
    return { ...token, market: { ...token.market, tradeCount: block, holderCount: minHolders + block } }
  })
  return { data, next: null, asOfBlock: String(blockNumberOf(block)) }
}

export const listSequence = (block: number): number => EPOCH_MS + block

/** How many messages a block causes of each part to the first clients. */
export function deliveries(block: number, clients: number): Readonly<Record<Part, number>> {
  const events = blockEvents(block)
  const touched = new Set(events.map(({ token }) => token))
  let matching = 0
  let ofTokens = 0
  for (let client = 0; client < clients; client++) {
    for (const filter of filtersOf(client)) if (events.some(event => filter.fits(event))) matching++
    if (touched.has(addressOf(tokenOfClient(client)))) ofTokens++
  }
  return { events: matching, lists: clients, tokens: ofTokens }
}

const filters = new Map<number, readonly EventFilter[]>()

export function filtersOf(client: number): readonly EventFilter[] {
  let of = filters.get(client)
  if (of === undefined) filters.set(client, (of = clientFilters(client).map(one => new EventFilter(one))))
  return of
}
