import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { Token, Trade } from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { NewTrades, Watch, WatchedToken } from '#client/watch/watch.ts'
import { afterDetailEvent, type DetailEvent, type DetailState, MAX_TRADES, UNKNOWN_TOKEN } from './detailState.ts'
import type { RenderQueue } from './renderQueue.ts'

const HOLDERS = 20
/** Shortest time between two requests for what the creator can claim. */
const CLAIMABLE_EVERY_MS = 5_000
/** How often values that no update carries, such as dollars, are fetched. */
const REFRESH_MS = 20_000

/** One token with its trades, holders and claims, a signal each. */
export type TokenDetail = {
  readonly [Part in Exclude<keyof DetailState, 'waiting' | 'doubted'>]: ReadonlySignal<DetailState[Part]>
} & {
  /** What the creator can claim is asked for from now on. */
  wantClaims(): void
  reload(): void
  stop(): void
}

/** Keeps what is known of one token up to date. */
export function createTokenDetail(
  client: Tokenwire,
  renderQueue: RenderQueue,
  address: string,
  returns: ReadonlySignal<number>,
): TokenDetail {
  const state = signal(UNKNOWN_TOKEN)
  const part = <Part extends keyof DetailState>(name: Part) => computed(() => state.value[name])
  const ending = new AbortController()
  let loading = new AbortController()
  let watch: Watch | null = null
  let claimableTimer: number | undefined
  let hasWantedClaims = false

  function take(event: DetailEvent): void {
    state.value = afterDetailEvent(state.peek(), event)
  }

  function takeToken(next: Token): void {
    const { token, phase, claimable } = state.peek()
    take({ type: 'token', token: next })
    if (state.peek().token !== next) return
    // It has just been indexed: its trades and holders are not loaded yet.
    if (phase === 'missing') void load()
    const isOutdated = claimable === null || JSON.stringify(next.fees) !== JSON.stringify(token?.fees)
    if (hasWantedClaims && isOutdated) askClaimable(next.creator, CLAIMABLE_EVERY_MS)
  }

  function onUpdate({ token, holders }: WatchedToken): void {
    renderQueue.put(`token ${address}`, () => {
      takeToken(token)
      if (holders !== null) take({ type: 'holders', holders })
    })
  }

  function onTrades(news: NewTrades): void {
    take({ type: 'traded', news })
    if (news.gap) void loadTrades(ending.signal)
    else renderQueue.put(`trades ${address}`, () => take({ type: 'drawn' }))
  }

  function askClaimable(creator: string, afterMs: number): void {
    if (claimableTimer !== undefined) return
    claimableTimer = window.setTimeout(async () => {
      claimableTimer = undefined
      const result = await client.claimable(address, creator, { signal: ending.signal })
      if (result.ok) take({ type: 'claimable', claimable: result.value })
    }, afterMs)
  }

  /** The newest trade; `null`: there is none; `undefined`: the answer failed. */
  async function loadTrades(signal: AbortSignal): Promise<Trade | null | undefined> {
    const { rewinds } = state.peek()
    const result = await client.trades(address, { limit: MAX_TRADES }, { signal })
    if (!result.ok || signal.aborted) return undefined
    // The answer may have trades that were taken back meanwhile.
    if (state.peek().rewinds !== rewinds) return loadTrades(signal)
    take({ type: 'tradesLoaded', trades: result.value.data })
    return state.peek().trades?.[0] ?? null
  }

  async function load(): Promise<void> {
    loading.abort()
    loading = new AbortController()
    const { signal } = loading
    take({ type: 'loading' })
    const [found, newestTrade, largest] = await Promise.all([
      client.token(address, { signal }),
      loadTrades(signal),
      client.holders(address, { limit: HOLDERS }, { signal }),
    ])
    if (signal.aborted) return
    batch(() => {
      if (found.ok) takeToken(found.value)
      else take(found.error.code === 'not_found' ? { type: 'missing' } : { type: 'failed', message: found.error.message })
      if (largest.ok) take({ type: 'holders', holders: largest.value.data })
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
    if (document.hidden || state.peek().phase !== 'ready') return
    if (state.peek().doubted !== null) void loadTrades(ending.signal)
    const result = await client.token(address, { signal: ending.signal })
    if (result.ok) takeToken(result.value)
    // A reorg removed its launch.
    else if (result.error.code === 'not_found') take({ type: 'missing' })
  }, REFRESH_MS)

  return {
    phase: part('phase'),
    failure: part('failure'),
    token: part('token'),
    priceMove: part('priceMove'),
    trades: part('trades'),
    rewinds: part('rewinds'),
    holders: part('holders'),
    claimable: part('claimable'),
    wantClaims() {
      const creator = state.peek().token?.creator
      if (hasWantedClaims || creator === undefined) return
      hasWantedClaims = true
      askClaimable(creator, 0)
    },
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
