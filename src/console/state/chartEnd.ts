import { computed, type ReadonlySignal } from '@preact/signals'
import type { CandleCurrency, CandleInterval } from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { poll } from './polling.ts'

export interface ChartEnd {
  /** Unix seconds; `null`: not known yet, or the token has no candle in that currency. */
  readonly time: ReadonlySignal<number | null>
  stop(): void
}

/**
 * Follows the interval of the newest indexed block, up to which the service fills candles. All trades before it are known, and the token
 * may have had none for days. The clock does not show it: with `CONFIRMATIONS=finalized` that block is a quarter of an hour old.
 */
export function followChartEnd(
  client: Pick<Tokenwire, 'candles'>,
  token: string,
  query: { readonly interval: CandleInterval; readonly currency: CandleCurrency },
): ChartEnd {
  const { state, stop } = poll({
    everyMs: 10_000,
    ask: signal => client.candles(token, { ...query, fill: true, limit: 1 }, { signal, retries: 0 }),
  })
  const time = computed(() => state.value.value?.data.at(-1)?.time ?? null)
  return { time, stop }
}
