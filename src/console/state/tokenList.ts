import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import { coalesce } from '#async/coalesce.ts'
import type { ListRow, Token } from '#client/generated/types.ts'
import type { Live } from '#client/live/liveTypes.ts'
import { pollMs } from '#client/timers.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import { fitsFilters, listParameters } from './listQuery.ts'
import { createLiveOrder } from './liveOrder.ts'
import type { MarketQuery } from './route.ts'
import { createRow, type Row } from './rows.ts'
import { afterListEvent, type ListEvent, MAX_ROWS, NOT_LOADED, PAGE_ROWS, type TokenListState } from './tokenListState.ts'

const REFRESH_MS = 15_000
/** Rows kept at most: those at the end of a list leave it and come back all the time, and need not be loaded again each time. */
const MAX_KEPT = 2 * MAX_ROWS

export interface TokenList {
  readonly state: ReadonlySignal<TokenListState>
  readonly rows: ReadonlySignal<readonly Row[]>
  /** While held, values change and rows stay where they are. */
  hold(isHeld: boolean): void
  loadMore(): void
  reload(): void
  /** Sorts the rows now. */
  showMoved(): void
  stop(): void
}

interface TokenListOptions {
  readonly client: Tokenwire
  readonly live: Live
  readonly query: ReadonlySignal<MarketQuery>
  /** A change makes the list load again. */
  readonly returns: ReadonlySignal<number>
}

/** The tokens of a query. The first page stays sorted: the service pushes its order, or each poll renews it. */
export function createTokenList({ client, live, query, returns }: TokenListOptions): TokenList {
  const state = signal(NOT_LOADED)
  const shown = computed(() => state.value.shown)
  const rows = computed(() => shown.value.flatMap(address => rowOf.get(address) ?? []))
  /** Of the shown tokens, of those that are new in the order of a held list, and of some that have left it. */
  const rowOf = new Map<Address, Row>()
  let loading = new AbortController()
  let timer: number | undefined

  /** Takes the values of tokens, and what has happened. */
  function take(event: ListEvent, tokens: readonly Token[] = []): void {
    batch(() => {
      for (const token of tokens) {
        const row = rowOf.get(token.address)
        if (row === undefined) rowOf.set(token.address, createRow(token))
        else row.update(token)
      }
      state.value = afterListEvent(state.peek(), event)
    })
    const kept = new Set([...state.peek().shown, ...state.peek().order])
    for (const address of rowOf.keys()) if (rowOf.size > MAX_KEPT && !kept.has(address)) rowOf.delete(address)
  }

  const ask = async (from: string | null, signal: AbortSignal) => {
    const wanted = query.peek()
    const text = wanted.q.trim()
    if (text === '')
      return client.tokens({ ...listParameters(wanted, Date.now()), limit: PAGE_ROWS, ...(from !== null && { cursor: from }) }, { signal })
    const found = await client.search(text, { limit: PAGE_ROWS }, { signal })
    if (!found.ok) return found
    const data = found.value.data.filter(token => fitsFilters(token, wanted, Date.now()))
    return { ok: true, value: { data, nextCursor: null } } as const
  }

  /** Rows that the list brings are not watched one by one. */
  function markListed(): void {
    const { newest, isFollowing } = liveOrder
    const listed = new Set(newest)
    batch(() => {
      for (const [address, row] of rowOf) row.isListed.value = newest === null ? isFollowing : listed.has(address)
    })
  }

  /** Takes an order of the channel, once the tokens that are new in it are loaded. */
  const orders = coalesce<readonly Address[]>(async next => {
    const { signal } = loading
    // Another list may be followed by now.
    if (next !== liveOrder.newest) return
    const missing = next.filter(address => !rowOf.has(address))
    const found = missing.length === 0 ? null : await client.tokens({ addresses: missing, limit: PAGE_ROWS }, { signal })
    if (signal.aborted || state.peek().phase !== 'ready') return
    const news = found?.ok ? found.value.data : []
    const known = new Set([...rowOf.keys(), ...news.map(({ address }) => address)])
    take({ type: 'ordered', order: next.filter(address => known.has(address)) }, news)
    markListed()
  }, reportError)
  const liveOrder = createLiveOrder(live, PAGE_ROWS, takeList, () => markListed())

  function takeList(listed: readonly ListRow[]): void {
    batch(() => {
      for (const one of listed) rowOf.get(one.address)?.list(one)
    })
    if (liveOrder.newest !== null) orders.request(liveOrder.newest)
  }

  /** Loads the first page: of another query; or again, when the page returns, and while the service does not push it. */
  async function load(isAgain: boolean): Promise<void> {
    if (!isAgain) {
      loading.abort()
      loading = new AbortController()
      take({ type: 'loading' })
    }
    clearTimeout(timer)
    const { signal } = loading
    // The launch time that a greatest age stands for moves on.
    liveOrder.follow(query.peek())
    const result = await ask(null, signal)
    if (signal.aborted) return
    if (!result.ok) take({ type: 'failed', message: result.error.message })
    else {
      const { data, nextCursor } = result.value
      const addresses = data.map(({ address }) => address)
      if (isAgain) take({ type: 'refreshed', order: liveOrder.newest === null ? addresses : null }, data)
      else take({ type: 'loaded', addresses, cursor: nextCursor }, data)
      markListed()
    }
    if (liveOrder.newest !== null) orders.request(liveOrder.newest)
    loadLater()
  }

  /** While the service pushes the list, there is nothing to ask for. */
  function loadLater(): void {
    clearTimeout(timer)
    if (document.hidden) return
    timer = window.setTimeout(
      () => {
        if (liveOrder.newest !== null && client.state === 'live') loadLater()
        else again()
      },
      pollMs(REFRESH_MS, Math.random, state.peek().failures),
    )
  }

  async function loadMore(): Promise<void> {
    const { cursor, isLoadingMore, phase } = state.peek()
    if (cursor === null || isLoadingMore || phase !== 'ready') return
    const { signal } = loading
    take({ type: 'loadingMore' })
    const result = await ask(cursor, signal)
    if (signal.aborted) return
    if (!result.ok) return take({ type: 'failedMore', message: result.error.message })
    const { data, nextCursor } = result.value
    take({ type: 'loadedMore', addresses: data.map(({ address }) => address), cursor: nextCursor }, data)
  }

  /** Updates the rows in place, or loads the list again after a failure. */
  function again(): void {
    void load(state.peek().phase === 'ready')
  }
  const seen = () => {
    if (!document.hidden) again()
    else {
      clearTimeout(timer)
      liveOrder.stop()
    }
  }
  document.addEventListener('visibilitychange', seen)

  const stopFollowing = effect(() => {
    // Reading the signal subscribes this effect to it.
    void query.value
    untracked(() => void load(false))
  })
  const stopReturns = effect(() => {
    if (returns.value > 0) untracked(again)
  })

  return {
    state,
    rows,
    hold: isHeld => take({ type: 'held', isHeld }),
    loadMore: () => void loadMore(),
    reload: () => void load(false),
    showMoved: () => take({ type: 'sorted' }),
    stop() {
      loading.abort()
      liveOrder.stop()
      orders.stop()
      clearTimeout(timer)
      stopFollowing()
      stopReturns()
      document.removeEventListener('visibilitychange', seen)
    },
  }
}
