import { batch, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import { coalesce } from '#async/coalesce.ts'
import { pollMs } from '#client/backoff.ts'
import type { Token } from '#client/generated/types.ts'
import type { Live } from '#client/live/liveTypes.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import { inOrder, movedPlaces } from './listOrder.ts'
import { fitsFilters, listParameters } from './listQuery.ts'
import { createLiveOrder } from './liveOrder.ts'
import type { MarketQuery } from './route.ts'
import { createRow, type Row } from './rows.ts'

/** Rows of the first page, whose order is live, and of each further one. */
const PAGE = 50
/** Rows shown at most. */
export const MAX_ROWS = 500
const REFRESH_MS = 15_000

export interface TokenList {
  readonly rows: ReadonlySignal<readonly Row[]>
  /** `loading`: the rows are still those of the query before, or none. */
  readonly phase: ReadonlySignal<'loading' | 'ready' | 'failed'>
  readonly failure: ReadonlySignal<string | null>
  /** Whether there is another page. */
  readonly hasMore: ReadonlySignal<boolean>
  readonly loadingMore: ReadonlySignal<boolean>
  /** Number of places that would show another token if the list was sorted now. */
  readonly moved: ReadonlySignal<number>
  /** While true, values change and rows stay where they are. */
  readonly isHeld: Signal<boolean>
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
  const rows = signal<readonly Row[]>([])
  const phase = signal<'loading' | 'ready' | 'failed'>('loading')
  const failure = signal<string | null>(null)
  const cursor = signal<string | null>(null)
  const hasMore = signal(false)
  const loadingMore = signal(false)
  const moved = signal(0)
  const isHeld = signal(false)
  /** The newest order of the first page. */
  let order: readonly Address[] = []
  /** Tokens that have come into the order and have no row yet. */
  const newcomers = new Map<Address, Token>()
  let loading = new AbortController()
  let timer: number | undefined
  /** How often in a row the first page could not be loaded. */
  let failures = 0

  const ask = async (wanted: MarketQuery, from: string | null, signal: AbortSignal) => {
    const text = wanted.q.trim()
    if (text === '')
      return client.tokens({ ...listParameters(wanted, Date.now()), limit: PAGE, ...(from !== null && { cursor: from }) }, { signal })
    const found = await client.search(text, { limit: PAGE }, { signal })
    if (!found.ok) return found
    return {
      ok: true,
      value: { data: found.value.data.filter(token => fitsFilters(token, wanted, Date.now())), nextCursor: null },
    } as const
  }

  const rowOf = (address: Address): Row | null => {
    const token = newcomers.get(address)
    return rows.peek().find(row => row.address === address) ?? (token === undefined ? null : createRow(token))
  }

  function put(tokens: readonly Token[]): void {
    const held = new Map(rows.peek().map(row => [row.address, row]))
    for (const token of tokens) {
      const row = held.get(token.address)
      if (row === undefined) newcomers.set(token.address, token)
      else row.update(token)
    }
  }

  function sortNow(): void {
    batch(() => {
      rows.value = inOrder(rows.peek(), order, rowOf, PAGE).slice(0, MAX_ROWS)
      moved.value = 0
    })
    newcomers.clear()
  }

  function sort(): void {
    for (const address of newcomers.keys()) if (!order.includes(address)) newcomers.delete(address)
    const count = movedPlaces(rows.peek(), order)
    if (isHeld.peek()) moved.value = count
    else if (count > 0 || order.length < Math.min(PAGE, rows.peek().length)) sortNow()
    else moved.value = 0
  }

  /** Takes an order of the channel, once the tokens that are new in it are loaded. */
  const orders = coalesce<readonly Address[]>(async next => {
    const { signal } = loading
    // Another list may be followed by now.
    if (next !== liveOrder.newest) return
    const held = new Set([...rows.peek().map(({ address }) => address), ...newcomers.keys()])
    const missing = next.filter(address => !held.has(address))
    const found = missing.length === 0 ? null : await client.tokens({ addresses: missing, limit: PAGE }, { signal })
    if (signal.aborted || phase.peek() !== 'ready') return
    put(found?.ok ? found.value.data : [])
    order = next
    sort()
  }, reportError)
  const liveOrder = createLiveOrder(live, PAGE, next => orders.request(next))

  async function load(): Promise<void> {
    loading.abort()
    loading = new AbortController()
    clearTimeout(timer)
    const { signal } = loading
    phase.value = 'loading'
    loadingMore.value = false
    liveOrder.follow(query.peek())
    const result = await ask(query.peek(), null, signal)
    if (signal.aborted) return
    failures = result.ok ? 0 : failures + 1
    batch(() => {
      if (result.ok) {
        put(result.value.data)
        order = result.value.data.map(({ address }) => address)
        rows.value = order.flatMap(address => rowOf(address) ?? [])
        newcomers.clear()
        moved.value = 0
        cursor.value = result.value.nextCursor
        hasMore.value = cursor.value !== null && rows.value.length < MAX_ROWS
        failure.value = null
        phase.value = 'ready'
      } else {
        failure.value = result.error.message
        phase.value = 'failed'
      }
    })
    if (liveOrder.newest !== null) orders.request(liveOrder.newest)
    schedule(signal)
  }

  async function loadMore(): Promise<void> {
    const from = cursor.peek()
    if (from === null || loadingMore.peek() || phase.peek() !== 'ready') return
    const { signal } = loading
    loadingMore.value = true
    const result = await ask(query.peek(), from, signal)
    if (signal.aborted) return
    batch(() => {
      loadingMore.value = false
      if (!result.ok) {
        failure.value = result.error.message
        return
      }
      failure.value = null
      // A token that moved down since the page before is in both pages.
      const held = new Set(rows.peek().map(row => row.address))
      const further = result.value.data.filter(({ address }) => !held.has(address)).map(createRow)
      rows.value = [...rows.peek(), ...further].slice(0, MAX_ROWS)
      cursor.value = result.value.nextCursor
      hasMore.value = cursor.value !== null && rows.value.length < MAX_ROWS
    })
  }

  /** Loads the first page again: for values that no update brings, such as dollars, and for the order while it is not pushed. */
  async function refresh(signal: AbortSignal): Promise<void> {
    // The launch time that a greatest age stands for moves on.
    liveOrder.follow(query.peek())
    const result = await ask(query.peek(), null, signal)
    if (signal.aborted) return
    failures = result.ok ? 0 : failures + 1
    batch(() => {
      failure.value = result.ok ? null : result.error.message
      if (!result.ok) return
      put(result.value.data)
      if (liveOrder.newest !== null) {
        orders.request(liveOrder.newest)
        return
      }
      order = result.value.data.map(({ address }) => address)
      sort()
    })
    schedule(signal)
  }

  function schedule(signal: AbortSignal): void {
    clearTimeout(timer)
    if (!document.hidden) timer = window.setTimeout(() => void again(signal), pollMs(REFRESH_MS, Math.random, failures))
  }

  /** Updates the rows in place, or loads the list again after a failure. */
  const again = (signal: AbortSignal) => (phase.peek() === 'ready' ? refresh(signal) : load())
  const seen = () => {
    if (!document.hidden) void again(loading.signal)
    else {
      clearTimeout(timer)
      liveOrder.stop()
    }
  }
  document.addEventListener('visibilitychange', seen)

  const stopFollowing = effect(() => {
    // Reading the signal subscribes this effect to it.
    void query.value
    untracked(() => void load())
  })
  const stopReturns = effect(() => {
    if (returns.value > 0) untracked(() => void again(loading.signal))
  })
  const stopHolding = effect(() => {
    if (!isHeld.value && phase.peek() === 'ready') untracked(sort)
  })

  return {
    rows,
    phase,
    failure,
    hasMore,
    loadingMore,
    moved,
    isHeld,
    loadMore: () => void loadMore(),
    reload: () => void load(),
    showMoved: sortNow,
    stop() {
      loading.abort()
      liveOrder.stop()
      orders.stop()
      clearTimeout(timer)
      stopFollowing()
      stopReturns()
      stopHolding()
      document.removeEventListener('visibilitychange', seen)
    },
  }
}
