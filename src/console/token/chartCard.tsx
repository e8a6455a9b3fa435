import { computed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatCompact, fromUnits } from '#client/decimalText.ts'
import type { CandleCurrency, Token } from '#client/generated/types.ts'
import { displayText } from '#console/format/text.ts'
import { Segments } from '#console/parts/segments.tsx'
import { Symbol } from '#console/parts/tokenName.tsx'
import { createCandleFeed } from '#console/state/candles.ts'
import { followChartEnd } from '#console/state/chartEnd.ts'
import { type ChartMark, followChartMarks } from '#console/state/chartMarks.ts'
import { minuteClock } from '#console/state/clock.ts'
import { theme } from '#console/state/preferences.ts'
import { client, currency, live, returns } from '#console/state/session.ts'
import type { TokenDetail } from '#console/state/tokenDetail.ts'
import { formatMeasure, type Measure } from './axisLabels.ts'
import type { Bar } from './bar.ts'
import type { Chart, ChartView } from './chart.ts'
import { chartTimeOf, isOfUtcDays } from './chartTime.ts'
import { type ChartInterval, INTERVAL_NAMES, intervalOfAge } from './intervals.ts'

const MEASURES = { price: 'Price', marketCap: 'Market cap' } as const satisfies Record<Measure, string>
const SIGNS = { usd: '$', weth: 'Ξ', quote: '' } as const satisfies Record<CandleCurrency, string>

/** What the letters of the marks stand for. */
function keyOf(marks: readonly ChartMark[]): string {
  const has = (...kinds: readonly ChartMark['kind'][]) => marks.some(({ kind }) => kinds.includes(kind))
  const launch = has('launch') ? 'L: launch · ' : ''
  const graduation = has('graduation') ? 'G: graduation · ' : ''
  return launch + graduation + (has('creatorBuy', 'creatorSell') ? 'B, S: the creator buys, sells · ' : '')
}

/** A price that can be drawn. */
function positive(price: string | null): number | null {
  const value = Number(price)
  return value > 0 ? value : null
}

interface ChartCardProps {
  readonly token: Token
  readonly detail: TokenDetail
}

export function ChartCard({ token, detail }: ChartCardProps) {
  const { address, symbol, totalSupply, decimals, market, pool } = token
  const measure = useSignal<Measure>('price')
  const isLogarithmic = useSignal(false)
  const pointed = useSignal<Bar | null>(null)
  const marked = useSignal('')
  const supply = Number(fromUnits(totalSupply, decimals))
  const factor = measure.value === 'price' ? 1 : supply
  const view: ChartView = { measure: measure.value, factor, isLogarithmic: isLogarithmic.value }
  const drawn = useRef<Chart | null>(null)
  const chosen = useSignal<ChartInterval | null>(null)
  const interval = chosen.value ?? intervalOfAge(token.createdAt, minuteClock.value)
  const newest = useSignal<Bar | null>(null)
  const state = useSignal<'loading' | 'ready' | 'empty'>('loading')
  const failure = useSignal<string | null>(null)
  const place = useRef<HTMLDivElement>(null)
  /** What is drawn: that of before, while what was chosen since is asked for. */
  const shown = useSignal<{ readonly interval: ChartInterval; readonly unit: CandleCurrency } | null>(null)
  const quote = displayText(pool?.quoteSymbol ?? null, 12)
  // A pair of ETH has no currency of its own. One without a value in ETH has no other.
  const isOfEth = market.priceQuote === market.priceWeth
  const inQuote = useSignal(market.priceWeth === null && market.priceQuote !== null)
  const unit: CandleCurrency = inQuote.value && !isOfEth ? 'quote' : currency.value

  const newestView = useRef(view)
  newestView.current = view

  useEffect(() => {
    newest.value = null
    shown.value = null
    const repaint = () => drawn.current?.repaint()
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', repaint)
    const unfollow = theme.subscribe(() => requestAnimationFrame(repaint))
    return () => {
      unfollow()
      scheme.removeEventListener('change', repaint)
      drawn.current?.remove()
      drawn.current = null
    }
  }, [address, detail])
  // The old chart stays, dimmed, until the first answer for the new one: bars and labels change together.
  useEffect(() => {
    const element = place.current
    if (element === null) return
    let isOver = false
    let stop = () => {}
    state.value = 'loading'
    failure.value = null
    let loadOlder = () => {}
    pointed.value = null
    const pane = document.createElement('div')
    pane.className = 'chart-pane'
    element.append(pane)
    const time = chartTimeOf(interval, Date.now())
    const onPointed = (bar: Bar | null) => {
      pointed.value = bar
    }
    void import('./chart.ts').then(
      ({ createChart }) => {
        if (isOver) {
          pane.remove()
          return
        }
        const chart = createChart(pane, { time, view, onNearStart: () => loadOlder(), onPointed })
        let isRemoved = false
        const created: Chart = {
          ...chart,
          remove() {
            if (isRemoved) return
            isRemoved = true
            chart.remove()
            pane.remove()
          },
        }
        const take = () => {
          if (drawn.current === created) return
          drawn.current?.remove()
          drawn.current = created
          created.repaint()
          created.show(newestView.current)
          shown.value = { interval, unit }
        }
        const series = { interval, currency: unit }
        const end = followChartEnd(client, address, series)
        const feed = createCandleFeed({
          client,
          live,
          address,
          ...series,
          until: end.time,
          present: computed(() => (unit === 'usd' ? positive(detail.token.value?.market.priceUsd ?? null) : null)),
          sink: {
            replace(bars) {
              take()
              created.replace(bars)
              newest.value = bars.at(-1) ?? null
              state.value = bars.length === 0 ? 'empty' : 'ready'
            },
            update(bar) {
              created.update(bar)
              newest.value = bar
              state.value = 'ready'
            },
            onFailure: text => {
              if (text !== null && drawn.current !== created) {
                take()
                newest.value = null
              }
              failure.value = text
            },
          },
        })
        loadOlder = () => feed.loadOlder()
        const { trades } = detail
        const stopMarks = followChartMarks({
          client,
          token: detail.token,
          trades,
          returns,
          onMarks: marks => {
            created.mark(marks)
            marked.value = keyOf(marks)
          },
        })
        stop = () => {
          if (drawn.current !== created) created.remove()
          feed.stop()
          end.stop()
          stopMarks()
        }
      },
      () => {
        failure.value = 'The chart could not be loaded.'
      },
    )
    return () => {
      isOver = true
      stop()
    }
  }, [address, detail, interval, unit])
  useEffect(() => drawn.current?.show(view), [measure.value, factor, isLogarithmic.value])

  const bar = newest.value
  const legend = pointed.value ?? bar
  const labelled = shown.value ?? { interval, unit }
  const { zone } = chartTimeOf(labelled.interval, minuteClock.value)
  const text = (value: number) => formatMeasure(value * factor, measure.value)
  const sign = SIGNS[labelled.unit]
  const unitName = labelled.unit === 'usd' ? 'dollars' : labelled.unit === 'weth' ? 'ETH' : (quote ?? 'the currency of the pair')
  const spoken =
    bar === null ? 'no candles yet' : `open ${text(bar.open)}, high ${text(bar.high)}, low ${text(bar.low)}, close ${text(bar.close)}`
  return (
    <section class="card chart-card" aria-labelledby="chart-title">
      <header>
        <h2 id="chart-title">
          <Symbol address={address} symbol={symbol} />
          {quote === null ? null : (
            <span class="quiet">
              {' / '}
              <bdi>{quote}</bdi>
            </span>
          )}
          <span class="sr-only"> chart</span>
        </h2>
        {isOfEth || quote === null ? null : (
          <button
            type="button"
            class="button small"
            aria-pressed={unit === 'quote'}
            title="In the currency of the pair"
            onClick={() => (inQuote.value = !inQuote.value)}
          >
            <bdi>{quote}</bdi>
          </button>
        )}
        <Segments small label="Measure" options={MEASURES} value={measure.value} onChange={value => (measure.value = value)} />
        <button
          type="button"
          class="button small"
          aria-pressed={isLogarithmic.value}
          title="Logarithmic scale"
          onClick={() => (isLogarithmic.value = !isLogarithmic.value)}
        >
          Log
        </button>
        <Segments small label="Interval" options={INTERVAL_NAMES} value={interval} onChange={value => (chosen.value = value)} />
      </header>
      <div class="chart-frame">
        <div
          class="chart"
          ref={place}
          role="img"
          aria-label={`${MEASURES[measure.value]} in candles of ${labelled.interval} in ${unitName}; newest: ${spoken}`}
          data-testid="chart"
          data-state={state.value}
          data-close={bar?.close}
          data-time={bar?.time}
        />
        {legend === null ? null : (
          <p class="chart-legend" aria-hidden="true" data-testid="legend">
            <span>O {sign + text(legend.open)}</span>
            <span>H {sign + text(legend.high)}</span>
            <span>L {sign + text(legend.low)}</span>
            <span>C {sign + text(legend.close)}</span>
            <span>Vol {sign + formatCompact(legend.volume)}</span>
            {labelled.unit === 'quote' ? <bdi>{unitName}</bdi> : null}
          </p>
        )}
        <div class="chart-foot">
          <span class="warn" role="status">
            {state.value === 'ready' ? failure.value : null}
          </span>
          <span title={isOfUtcDays(labelled.interval) ? 'Days are those of UTC' : 'Your local time'} data-testid="zone">
            {marked.value}
            {zone}
          </span>
        </div>
        {failure.value !== null && state.value !== 'ready' ? (
          <p class="chart-note" role="status">
            {failure.value}
          </p>
        ) : state.value === 'empty' ? (
          <p class="chart-note" role="status">
            {market.tradeCount === 0 ? 'The chart begins with the first trade.' : `No trade has a price in ${unitName} yet.`}
          </p>
        ) : null}
      </div>
    </section>
  )
}
