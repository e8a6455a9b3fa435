import { batch, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { NewTrades, Watch, WatchedToken } from '#client/watch.ts'
import type { Claimable } from '#domain/claimable.ts'
import type { Holder } from '#domain/holder.ts'
import type { Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
import type { Frames } from './frames.ts'
import { directionOf, type Tick } from './rows.ts'

/** What the tape holds at most; the API has the rest. */
const MOST_TRADES = 100
const HOLDERS = 20
/** What a creator can claim is asked for again at most so often. */
const CLAIMABLE_EVERY_MS = 5_000
/** Unwatched values, such as those in dollars, are renewed so often. */
const REFRESH_MS = 20_000

export interface TokenDetail {
  /** `missing`: not indexed, or not any more; it is shown as soon as it is. */
  readonly phase: ReadonlySignal<'loading' | 'ready' | 'missing' | 'failed'>
  readonly failure: ReadonlySignal<string | null>
  readonly token: ReadonlySignal<Token | null>
  readonly tick: ReadonlySignal<Tick>
  /** Newest first; `null`: not known yet. */
  readonly trades: ReadonlySignal<readonly Trade[] | null>
  /** Counts reorgs that may have taken trades back. */
  readonly rewinds: ReadonlySignal<number>
  readonly holders: ReadonlySignal<readonly Holder[] | null>
  readonly claimable: ReadonlySignal<Claimable | null>
  reload(): void
  stop(): void
}

/** One token with all that belongs to it, kept up to date. */
export function createTokenDetail(client: Tokenwire, frames: Frames, address: string, returns: ReadonlySignal<number>): TokenDetail {
  const phase = signal<'loading' | 'ready' | 'missing' | 'failed'>('loading')
  const failure = signal<string | null>(null)
  const token = signal<Token | null>(null)
  const tick = signal<Tick>({ direction: null, count: 0 })
  const trades = signal<readonly Trade[] | null>(null)
  const rewinds = signal(0)
  const holders = signal<readonly Holder[] | null>(null)
  const claimable = signal<Claimable | null>(null)
  const ending = new AbortController()
  let loading = new AbortController()
  let watch: Watch | null = null
  let claimableTimer: number | undefined
  let fees = ''

  function take(next: Token): void {
    const held = token.peek()
    if (held !== null && next.sequence < held.sequence) return
    const direction = held === null ? null : directionOf(held.market.priceWeth, next.market.priceWeth)
    if (direction !== null) tick.value = { direction, count: tick.peek().count + 1 }
    token.value = next
    // It has appeared: its trades and holders have not been asked for yet.
    if (phase.peek() === 'missing') void load()
    phase.value = 'ready'
    failure.value = null
    const feesNow = JSON.stringify(next.fees)
    if (feesNow !== fees || claimable.peek() === null) askClaimable(next.creator, fees === '' ? 0 : CLAIMABLE_EVERY_MS)
    fees = feesNow
  }

  function onUpdate({ token: next, holders: largest }: WatchedToken): void {
    frames.put(`token ${address}`, () => {
      take(next)
      if (largest !== null) holders.value = largest
    })
  }

  function onTrades({ trades: news, gap }: NewTrades): void {
    if (gap) {
      doubted = new Set((trades.peek() ?? []).map(({ id }) => id))
      waitingTrades.length = 0
      rewinds.value++
      void loadTrades(ending.signal)
      return
    }
    waitingTrades.push(...news)
    waitingTrades.splice(0, waitingTrades.length - MOST_TRADES)
    frames.put(`trades ${address}`, () => {
      trades.value = merged(waitingTrades.splice(0), trades.peek() ?? [])
    })
  }
  const waitingTrades: Trade[] = []
  /** Trades that a reorg may have taken back; `null`: none. They stand until the list that leaves them out has come. */
  let doubted: ReadonlySet<string> | null = null

  function askClaimable(creator: string, afterMs: number): void {
    if (claimableTimer !== undefined) return
    claimableTimer = window.setTimeout(async () => {
      claimableTimer = undefined
      const result = await client.claimable(address, creator, { signal: ending.signal })
      if (result.ok) claimable.value = result.value
    }, afterMs)
  }

  async function loadTrades(signal: AbortSignal): Promise<Trade | undefined> {
    const result = await client.trades(address, { limit: MOST_TRADES }, { signal })
    if (!result.ok || signal.aborted) return undefined
    const held = trades.peek() ?? []
    trades.value = merged(result.value.data, doubted === null ? held : held.filter(({ id }) => doubted?.has(id) === false))
    doubted = null
    return trades.value[0]
  }

  async function load(): Promise<void> {
    loading.abort()
    loading = new AbortController()
    const { signal } = loading
    if (token.peek() === null) phase.value = 'loading'
    const [found, newestTrade, largest] = await Promise.all([
      client.token(address, { signal }),
      loadTrades(signal),
      client.holders(address, { limit: HOLDERS }, { signal }),
    ])
    if (signal.aborted) return
    batch(() => {
      if (found.ok) take(found.value)
      else if (found.error.code === 'not_found') phase.value = 'missing'
      else if (token.peek() === null) {
        failure.value = found.error.message
        phase.value = 'failed'
      }
      if (largest.ok) holders.value = largest.value.data
    })
    // Also of a token that is not there: it may be on its way.
    watch ??= client.watch(address, onUpdate, {
      ...(found.ok ? { initial: found.value } : {}),
      ...(newestTrade === undefined ? {} : { tradesSince: newestTrade }),
      onTrades,
    })
  }

  const stopFollowing = effect(() => {
    void returns.value
    untracked(() => void load())
  })

  const refreshTimer = window.setInterval(async () => {
    if (document.hidden || phase.peek() !== 'ready') return
    if (doubted !== null) void loadTrades(ending.signal)
    const result = await client.token(address, { signal: ending.signal })
    if (result.ok) take(result.value)
    // A reorg has taken its launch away.
    else if (result.error.code === 'not_found') phase.value = 'missing'
  }, REFRESH_MS)

  return {
    phase,
    failure,
    token,
    tick,
    trades,
    rewinds,
    holders,
    claimable,
    reload: () => void load(),
    stop() {
      ending.abort()
      loading.abort()
      watch?.close()
      stopFollowing()
      clearTimeout(claimableTimer)
      clearInterval(refreshTimer)
      frames.drop(`token ${address}`)
      frames.drop(`trades ${address}`)
    },
  }
}

/** Newest first, each once. */
export function merged(news: readonly Trade[], held: readonly Trade[]): readonly Trade[] {
  const byId = new Map([...news, ...held].map(trade => [trade.id, trade]))
  return Array.from(byId.values())
    .sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber) || b.logIndex - a.logIndex)
    .slice(0, MOST_TRADES)
}
