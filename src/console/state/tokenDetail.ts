import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { LiveHandle } from '#client/follow.ts'
import type { Token } from '#client/generated/types.ts'
import type { Live } from '#client/live/liveTypes.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { WatchedToken } from '#client/watch/watch.ts'
import { afterDetailEvent, type DetailEvent, type DetailState, UNKNOWN_TOKEN } from './detailState.ts'
import type { RenderQueue } from './renderQueue.ts'

const HOLDERS = 20
/** Trades shown at most. */
const TRADES = 100
/** Shortest time between two requests for what the creator can claim. */
const CLAIMABLE_EVERY_MS = 5_000
/** How often values that no update carries, such as dollars, are fetched. */
const REFRESH_MS = 20_000

/** One token with its trades, holders and claims, a signal each. */
export type TokenDetail = {
  readonly [Part in keyof DetailState]: ReadonlySignal<DetailState[Part]>
} & {
  /** What the creator can claim is asked for from now on. */
  wantClaims(): void
  reload(): void
  stop(): void
}

/** Keeps what is known of one token up to date. */
export function createTokenDetail(
  client: Tokenwire,
  live: Pick<Live, 'latestTrades'>,
  renderQueue: RenderQueue,
  address: string,
  returns: ReadonlySignal<number>,
): TokenDetail {
  const state = signal(UNKNOWN_TOKEN)
  const part = <Part extends keyof DetailState>(name: Part) => computed(() => state.value[name])
  const ending = new AbortController()
  let loading = new AbortController()
  let watch: LiveHandle | null = null
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

  function askClaimable(creator: string, afterMs: number): void {
    if (claimableTimer !== undefined) return
    claimableTimer = window.setTimeout(async () => {
      claimableTimer = undefined
      const result = await client.claimable(address, creator, { signal: ending.signal })
      if (result.ok) take({ type: 'claimable', claimable: result.value })
    }, afterMs)
  }

  async function load(): Promise<void> {
    loading.abort()
    loading = new AbortController()
    const { signal } = loading
    take({ type: 'loading' })
    const [found, largest] = await Promise.all([client.token(address, { signal }), client.holders(address, { limit: HOLDERS }, { signal })])
    if (signal.aborted) return
    batch(() => {
      if (found.ok) takeToken(found.value)
      else take(found.error.code === 'not_found' ? { type: 'missing' } : { type: 'failed', message: found.error.message })
      if (largest.ok) take({ type: 'holders', holders: largest.value.data })
    })
    // A token that is not indexed is watched, too: it may be indexed later.
    watch ??= client.watch(address, onUpdate, found.ok ? { initial: found.value } : {})
  }

  const trades = live.latestTrades({ tokens: [address], limit: TRADES }, newest =>
    renderQueue.put(`trades ${address}`, () => take({ type: 'trades', trades: newest })),
  )

  const stopFollowing = effect(() => {
    void returns.value
    untracked(() => void load())
  })

  const refreshTimer = window.setInterval(async () => {
    if (document.hidden || state.peek().phase !== 'ready') return
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
      trades.close()
      stopFollowing()
      clearTimeout(claimableTimer)
      clearInterval(refreshTimer)
      renderQueue.drop(`token ${address}`)
      renderQueue.drop(`trades ${address}`)
    },
  }
}
