import { computed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatPrice, plain } from '#console/format/decimal.ts'
import { Segments } from '#console/parts/segments.tsx'
import { createCandleFeed } from '#console/state/candles.ts'
import { theme } from '#console/state/preferences.ts'
import { client, currency, returns } from '#console/state/session.ts'
import type { TokenDetail } from '#console/state/tokenDetail.ts'
import type { CandleInterval } from '#domain/candle.ts'
import type { Bar } from './candleFold.ts'
import { type Chart, createChart } from './chart.ts'
import { INTERVAL_NAMES } from './intervals.ts'

interface ChartCardProps {
  readonly address: string
  readonly detail: TokenDetail
}

export function ChartCard({ address, detail }: ChartCardProps) {
  const interval = useSignal<CandleInterval>('5m')
  const newest = useSignal<Bar | null>(null)
  const state = useSignal<'loading' | 'ready' | 'empty'>('loading')
  const failure = useSignal<string | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const unit = currency.value

  useEffect(() => {
    const element = place.current
    if (element === null) return
    let chart: Chart | null = null
    let isOver = false
    let stop = () => {}
    state.value = 'loading'
    newest.value = null
    failure.value = null
    let loadOlder = () => {}
    void createChart(element, () => loadOlder()).then(
      created => {
        if (isOver) {
          created.remove()
          return
        }
        chart = created
        const feed = createCandleFeed({
          client,
          address,
          interval: interval.value,
          currency: unit,
          trades: detail.trades,
          renewals: computed(() => returns.value + detail.rewinds.value),
          sink: {
            replace(bars) {
              created.replace(bars)
              newest.value = bars.at(-1) ?? null
              state.value = bars.length === 0 ? 'empty' : 'ready'
            },
            update(bar) {
              created.update(bar)
              newest.value = bar
              state.value = 'ready'
            },
            onFailure: message => {
              failure.value = message
            },
          },
        })
        loadOlder = () => feed.loadOlder()
        stop = () => feed.stop()
      },
      () => {
        failure.value = 'the chart could not be loaded'
      },
    )
    const repaint = () => chart?.repaint()
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', repaint)
    const unfollow = theme.subscribe(() => requestAnimationFrame(repaint))
    return () => {
      isOver = true
      stop()
      unfollow()
      scheme.removeEventListener('change', repaint)
      chart?.remove()
    }
  }, [address, detail, interval.value, unit])

  const bar = newest.value
  const sign = unit === 'usd' ? '$' : 'Ξ'
  const spoken =
    bar === null ? 'no candles yet' : `open ${text(bar.open)}, high ${text(bar.high)}, low ${text(bar.low)}, close ${text(bar.close)}`
  return (
    <section class="card chart-card" aria-labelledby="chart-title">
      <header>
        <h2 id="chart-title">Price</h2>
        <Segments small label="Interval" options={INTERVAL_NAMES} value={interval.value} onChange={value => (interval.value = value)} />
      </header>
      <div class="chart-frame">
        <div
          class="chart"
          ref={place}
          role="img"
          aria-label={`Candles of ${interval.value} in ${unit === 'usd' ? 'dollars' : 'ETH'}; newest: ${spoken}`}
          data-testid="chart"
          data-state={state.value}
          data-close={bar?.close}
          data-time={bar?.time}
        />
        {bar === null ? null : (
          <p class="chart-legend" aria-hidden="true">
            <span>O {sign + text(bar.open)}</span>
            <span>H {sign + text(bar.high)}</span>
            <span>L {sign + text(bar.low)}</span>
            <span>C {sign + text(bar.close)}</span>
          </p>
        )}
        {failure.value !== null ? (
          <p class="chart-note" role="status">
            No candles: {failure.value}
          </p>
        ) : state.value === 'empty' ? (
          <p class="chart-note" role="status">
            {unit === 'usd' ? 'No trade has a price in dollars yet. Look at ETH instead.' : 'No trades yet.'}
          </p>
        ) : null}
      </div>
    </section>
  )
}

const text = (value: number) => formatPrice(plain(value))
