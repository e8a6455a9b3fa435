import { batch, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import type { RenderQueue } from './renderQueue.ts'
import type { MarketQuery } from './route.ts'
import { createRow, type Row } from './rows.ts'

const PAGE = 50
/** Rows shown at most. */
export const MOST_ROWS = 500
/** Rows that are live at once: one connection carries 200 tokens, and an opened token needs some of them. */
const MOST_WATCHED = 150
const REFRESH_MS = 15_000

export interface TokenList {
  readonly rows: ReadonlySignal<readonly Row[]>
  /** `loading`: the rows are still those of the query before, or none. */
  readonly phase: ReadonlySignal<'loading' | 'ready' | 'failed'>
  readonly failure: ReadonlySignal<string | null>
  /** Whether there is another page. */
  readonly hasMore: ReadonlySignal<boolean>
  readonly loadingMore: ReadonlySignal<boolean>
  /** Number of rows that would show another token if the list was sorted now. */
  readonly moved: ReadonlySignal<number>
  loadMore(): void
  reload(): void
  /** Sorts the rows now. */
  showMoved(): void
  /** Keeps a row live until the returned function is called. */
  watch(row: Row): () => void
  stop(): void
}

/** The tokens of a query. Values change in place; the order changes only when the user asks for it, so that no row moves under a finger. */
export function createTokenList(
  client: Tokenwire,
  renderQueue: RenderQueue,
  query: ReadonlySignal<MarketQuery>,
  returns: ReadonlySignal<number>,
): TokenList {
  const rows = signal<readonly Row[]>([])
  const phase = signal<'loading' | 'ready' | 'failed'>('loading')
  const failure = signal<string | null>(null)
  const cursor = signal<string | null>(null)
  const hasMore = signal(false)
  const loadingMore = signal(false)
  const moved = signal(0)
  const watched = new Map<Address, () => void>()
  let newest: readonly Token[] = []
  let loading = new AbortController()
  let timer: number | undefined

  const ask = async (wanted: MarketQuery, from: string | null, signal: AbortSignal) => {
    const { q, sort, order, status, launchpad } = wanted
    const text = q.trim()
    if (text !== '') {
      const found = await client.search(text, { limit: PAGE }, { signal })
      if (!found.ok) return found
      const data = found.value.data.filter(
        token => (status === null || token.graduation.status === status) && (launchpad === null || token.launchpad === launchpad),
      )
      return { ok: true, value: { data, nextCursor: null } } as const
    }
    const filters = { ...(status === null ? {} : { status }), ...(launchpad === null ? {} : { launchpad }) }
    return client.tokens({ sort, order, ...filters, limit: PAGE, ...(from === null ? {} : { cursor: from }) }, { signal })
  }

  /** Rows for these tokens. Existing rows are reused. */
  function rowsOf(tokens: readonly Token[]): readonly Row[] {
    const held = new Map(rows.peek().map(row => [row.address, row]))
    return tokens.map(token => {
      const row = held.get(token.address) ?? createRow(token)
      row.update(token)
      return row
    })
  }

  async function load(): Promise<void> {
    loading.abort()
    loading = new AbortController()
    clearTimeout(timer)
    const { signal } = loading
    phase.value = 'loading'
    loadingMore.value = false
    const result = await ask(query.peek(), null, signal)
    if (signal.aborted) return
    batch(() => {
      moved.value = 0
      if (result.ok) {
        newest = result.value.data
        rows.value = rowsOf(newest)
        cursor.value = result.value.nextCursor
        hasMore.value = cursor.value !== null && rows.value.length < MOST_ROWS
        failure.value = null
        phase.value = 'ready'
      } else {
        failure.value = result.error.message
        phase.value = 'failed'
      }
    })
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
      rows.value = [...rows.peek(), ...rowsOf(result.value.data.filter(token => !held.has(token.address)))].slice(0, MOST_ROWS)
      cursor.value = result.value.nextCursor
      hasMore.value = cursor.value !== null && rows.value.length < MOST_ROWS
    })
  }

  /** Loads the first page again for its values, and to find out whether the order has changed. */
  async function refresh(signal: AbortSignal): Promise<void> {
    const result = await ask(query.peek(), null, signal)
    if (signal.aborted) return
    if (result.ok) {
      batch(() => {
        failure.value = null
        newest = result.value.data
        const shown = rows.peek()
        const held = new Map(shown.map(row => [row.address, row]))
        for (const token of newest) held.get(token.address)?.update(token)
        moved.value = newest.filter((token, index) => shown[index]?.address !== token.address).length
      })
    } else failure.value = result.error.message
    schedule(signal)
  }

  function schedule(signal: AbortSignal): void {
    clearTimeout(timer)
    if (!document.hidden) timer = window.setTimeout(() => void again(signal), REFRESH_MS * (0.9 + Math.random() / 5))
  }

  /** Updates the rows in place, or loads the list again after a failure. */
  const again = (signal: AbortSignal) => (phase.peek() === 'ready' ? refresh(signal) : load())
  const seen = () => {
    if (document.hidden) clearTimeout(timer)
    else void again(loading.signal)
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

  function watch(row: Row): () => void {
    if (watched.has(row.address) || watched.size >= MOST_WATCHED) return () => undefined
    const held = client.watch(row.address, ({ token }) => renderQueue.put(`row ${row.address}`, () => row.update(token)), {
      initial: row.token.peek(),
    })
    const stop = () => {
      if (!watched.delete(row.address)) return
      held.close()
      renderQueue.drop(`row ${row.address}`)
    }
    watched.set(row.address, stop)
    return stop
  }

  return {
    rows,
    phase,
    failure,
    hasMore,
    loadingMore,
    moved,
    watch,
    loadMore: () => void loadMore(),
    reload: () => void load(),
    showMoved() {
      batch(() => {
        rows.value = rowsOf(newest)
        moved.value = 0
      })
      void load()
    },
    stop() {
      loading.abort()
      clearTimeout(timer)
      stopFollowing()
      stopReturns()
      document.removeEventListener('visibilitychange', seen)
      for (const stop of Array.from(watched.values())) stop()
    },
  }
}
