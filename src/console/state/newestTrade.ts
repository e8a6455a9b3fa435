import { computed, type ReadonlySignal } from '@preact/signals'
import type { Tokenwire } from '#client/tokenwire.ts'
import { poll } from './polling.ts'

export interface NewestTradeTime {
  /** Unix seconds; `null`: none is known. */
  readonly time: ReadonlySignal<number | null>
  stop(): void
}

/**
 * The time of the newest trade of any token. Blocks are indexed in order, so all trades before it are known. When the service indexed its
 * newest block says less: with `CONFIRMATIONS=finalized` that is a quarter of an hour after the block.
 */
export function followNewestTrade(client: Pick<Tokenwire, 'marketTrades'>): NewestTradeTime {
  const { state, stop } = poll({ everyMs: 10_000, ask: signal => client.marketTrades({ limit: 1 }, { signal, retries: 0 }) })
  const time = computed(() => {
    const newest = state.value.value?.data[0]
    return newest === undefined ? null : Math.floor(Date.parse(newest.timestamp) / 1_000)
  })
  return { time, stop }
}
