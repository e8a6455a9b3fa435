import { batch, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { Claimable, Holder, Token, Trade } from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { NewTrades, Watch, WatchedToken } from '#client/watch/watch.ts'
import type { RenderQueue } from './renderQueue.ts'
import { directionOf, type PriceMove } from './rows.ts'

/** Trades shown at most. */
const MAX_TRADES = 100
const HOLDERS = 20
/** Shortest time between two requests for what the creator can claim. */
const CLAIMABLE_EVERY_MS = 5_000
/** How often values that no update carries, such as dollars, are fetched. */
const REFRESH_MS = 20_000

export interface TokenDetail {
  /** `missing`: not indexed, or removed by a reorg. The token is shown as soon as it is indexed. */
  readonly phase: ReadonlySignal<'loading' | 'ready' | 'missing' | 'failed'>
  readonly failure: ReadonlySignal<string | null>
  readonly token: ReadonlySignal<Token | null>
  readonly priceMove: ReadonlySignal<PriceMove>
  /** Newest first; `null` while unknown. */
  readonly trades: ReadonlySignal<readonly Trade[] | null>
  /** How often trades were taken back or may have been. */
  readonly rewinds: ReadonlySignal<number>
  readonly holders: ReadonlySignal<readonly Holder[] | null>
  readonly claimable: ReadonlySignal<Claimable | null>
  reload(): void
  stop(): void
}

/** One token with its trades, holders and claims, kept up to date. */
export function createTokenDetail(
  client: Tokenwire,
  renderQueue: RenderQueue,
  address: string,
  returns: ReadonlySignal<number>,
): TokenDetail {
  const phase = signal<'loading' | 'ready' | 'missing' | 'failed'>('loading')
  const failure = signal<string | null>(null)
  const token = signal<Token | null>(null)
  const priceMove = signal<PriceMove>({ direction: null, count: 0 })
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
    if (direction !== null) priceMove.value = { direction, count: priceMove.peek().count + 1 }
    token.value = next
    // It has just been indexed: its trades and holders are not loaded yet.
    if (phase.peek() === 'missing') void load()
    phase.value = 'ready'
    failure.value = null
    const feesNow = JSON.stringify(next.fees)
    if (feesNow !== fees || claimable.peek() === null) askClaimable(next.creator, fees === '' ? 0 : CLAIMABLE_EVERY_MS)
    fees = feesNow
  }

  function onUpdate({ token: next, holders: largest }: WatchedToken): void {
    renderQueue.put(`token ${address}`, () => {
      take(next)
      if (largest !== null) holders.value = largest
    })
  }

  function onTrades({ trades: news, gap, replacedFrom }: NewTrades): void {
    if (gap) {
      doubted = new Set((trades.peek() ?? []).map(({ id }) => id))
      waitingTrades.length = 0
      rewinds.value++
      void loadTrades(ending.signal)
      return
    }
    if (replacedFrom !== undefined) {
      const isValid = ({ blockNumber }: Trade) => Number(blockNumber) < Number(replacedFrom)
      waitingTrades.splice(0, waitingTrades.length, ...waitingTrades.filter(isValid))
      trades.value = trades.peek()?.filter(isValid) ?? null
      rewinds.value++
    }
    waitingTrades.push(...news)
    waitingTrades.splice(0, waitingTrades.length - MAX_TRADES)
    renderQueue.put(`trades ${address}`, () => {
      trades.value = merged(waitingTrades.splice(0), trades.peek() ?? [])
    })
  }
  const waitingTrades: Trade[] = []
  /** Trades that a reorg may have removed; `null` when there are none. They are shown until the list has been loaded without them. */
  let doubted: ReadonlySet<string> | null = null

  function askClaimable(creator: string, afterMs: number): void {
    if (claimableTimer !== undefined) return
    claimableTimer = window.setTimeout(async () => {
      claimableTimer = undefined
      const result = await client.claimable(address, creator, { signal: ending.signal })
      if (result.ok) claimable.value = result.value
    }, afterMs)
  }

  /** The newest trade; `null`: there is none; `undefined`: the answer failed. */
  async function loadTrades(signal: AbortSignal): Promise<Trade | null | undefined> {
    const before = rewinds.peek()
    const result = await client.trades(address, { limit: MAX_TRADES }, { signal })
    if (!result.ok || signal.aborted) return undefined
    // The answer may have trades that were taken back meanwhile.
    if (rewinds.peek() !== before) return loadTrades(signal)
    const held = trades.peek() ?? []
    trades.value = merged(result.value.data, doubted === null ? held : held.filter(({ id }) => doubted?.has(id) === false))
    doubted = null
    return trades.value[0] ?? null
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
    // A token that is not indexed is watched, too: it may be indexed later.
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
    // A reorg removed its launch.
    else if (result.error.code === 'not_found') phase.value = 'missing'
  }, REFRESH_MS)

  return {
    phase,
    failure,
    token,
    priceMove,
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
      renderQueue.drop(`token ${address}`)
      renderQueue.drop(`trades ${address}`)
    },
  }
}

/** All trades, each once, newest first. */
export function merged(news: readonly Trade[], held: readonly Trade[]): readonly Trade[] {
  const byId = new Map([...news, ...held].map(trade => [trade.id, trade]))
  return Array.from(byId.values())
    .sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber) || b.logIndex - a.logIndex)
    .slice(0, MAX_TRADES)
}
