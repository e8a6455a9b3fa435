import { effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import type { Result } from '#client/clientError.ts'
import type { Holding, HoldingSort, Token, Trade, Wallet, WalletClaim } from '#client/generated/types.ts'
import type { Live } from '#client/live/liveTypes.ts'
import type { ListPage } from '#client/rest/calls.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import { createPagedList, type PagedList } from './pagedList.ts'
import { type Polled, poll } from './polling.ts'
import { createThrottle } from './throttle.ts'
import type { TokenNames } from './tokenNames.ts'

const PAGE = 50
const CREATED = 20
/** How often prices, transfers and claims are asked for. */
const REFRESH_MS = 20_000
/** Shortest time between two refreshes after trades. */
const AFTER_TRADES_MS = 5_000

export interface WalletDetail {
  readonly summary: ReadonlySignal<Polled<Wallet>>
  readonly sort: Signal<HoldingSort>
  readonly holdings: PagedList<Holding>
  readonly trades: PagedList<Trade>
  readonly claims: PagedList<WalletClaim>
  readonly created: PagedList<Token>
  stop(): void
}

interface WalletDetailOptions {
  readonly client: Tokenwire
  readonly live: Live
  readonly names: TokenNames
  readonly address: string
  /** A change makes everything load again. */
  readonly returns: ReadonlySignal<number>
}

/** One account: what it holds, trades, claims and has created. Each of its trades refreshes all of that. */
export function createWalletDetail({ client, live, names, address, returns }: WalletDetailOptions): WalletDetail {
  const sort = signal<HoldingSort>('value')
  let sorted = sort.peek()
  /** The answer, once the names of its tokens are loaded. */
  async function withNames<Item extends { readonly token: Address | null }>(asked: Promise<Result<ListPage<Item>>>, signal: AbortSignal) {
    const result = await asked
    const tokens = result.ok ? result.value.data.flatMap(({ token }) => token ?? []) : []
    await names.load(tokens, signal)
    return result
  }
  const holdings = createPagedList(
    (page, signal) => client.holdings(address, { sort: sort.peek(), limit: PAGE, ...page }, { signal }),
    ({ token }: Holding) => token.address,
  )
  const trades = createPagedList(
    (page, signal) => withNames(client.walletTrades(address, { limit: PAGE, ...page }, { signal }), signal),
    ({ id }: Trade) => id,
  )
  const claims = createPagedList(
    (page, signal) => withNames(client.claims(address, { limit: PAGE, ...page }, { signal }), signal),
    ({ launchpad, token, currency }: WalletClaim) => [launchpad, token, currency].join(),
  )
  const created = createPagedList(
    (page, signal) => client.tokens({ creator: address, limit: CREATED, ...page }, { signal }),
    (token: Token) => token.address,
  )
  const lists = [holdings, trades, claims, created]

  const summary = poll({ everyMs: REFRESH_MS, ask: signal => client.wallet(address, { signal, retries: 0 }) })
  let isFirst = true
  // Each new summary reloads the lists, except the first one, which loads at the same time as they do.
  const stopFollowing = effect(() => {
    if (summary.state.value.atMs === null) return
    if (!isFirst) for (const list of lists) list.reload()
    isFirst = false
  })
  const traded = createThrottle(() => summary.refresh(), AFTER_TRADES_MS)
  const following = live.trades(
    { makers: [address] },
    ({ type }) => {
      if (type === 'reorg') trades.restart()
      if (type !== 'begin') traded.request()
    },
    { repair: false },
  )
  const stopReturns = effect(() => {
    if (returns.value > 0) untracked(() => summary.refresh())
  })
  const stopSorting = sort.subscribe(chosen => {
    if (chosen !== sorted) holdings.restart()
    sorted = chosen
  })

  return {
    summary: summary.state,
    sort,
    holdings,
    trades,
    claims,
    created,
    stop() {
      following.close()
      traded.stop()
      stopFollowing()
      stopReturns()
      stopSorting()
      summary.stop()
      for (const list of lists) list.stop()
    },
  }
}
