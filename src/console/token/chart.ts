import type { IChartApi, ISeriesApi, UTCTimestamp } from 'lightweight-charts'
import { formatCompact, formatPrice, plain } from '#console/format/decimal.ts'
import type { Bar } from './candleFold.ts'

/** The chart's colours in the current theme. */
interface Palette {
  readonly ink: string
  readonly line: string
  readonly up: string
  readonly down: string
  readonly surface: string
}

/** A drawn chart. */
export interface Chart {
  replace(bars: readonly Bar[]): void
  update(bar: Bar): void
  /** Applies the colours of the current theme. */
  repaint(): void
  /** Scrolls to the newest bars. */
  showNewest(): void
  remove(): void
}

/** Older bars are loaded when fewer than these are left of the visible range. */
const NEAR_END = 20
const NEWEST_BARS = 90

/** Loads the chart library and draws a chart in the element. */
export async function createChart(element: HTMLElement, onNearStart: () => void): Promise<Chart> {
  const { CandlestickSeries, createChart: create, HistogramSeries, CrosshairMode, LineStyle } = await import('lightweight-charts')
  const chart: IChartApi = create(element, {
    autoSize: true,
    // The library's logo needs inline styles, which the page's policy forbids. The footer names the library instead.
    layout: { attributionLogo: false, fontSize: 11 },
    crosshair: { mode: CrosshairMode.Normal },
    rightPriceScale: { borderVisible: false, entireTextOnly: true, scaleMargins: { top: 0.12, bottom: 0.25 } },
    timeScale: { borderVisible: false, timeVisible: true, secondsVisible: false, rightOffset: 4 },
    handleScroll: { vertTouchDrag: false },
  })
  const candles: ISeriesApi<'Candlestick'> = chart.addSeries(CandlestickSeries, { borderVisible: false, priceLineStyle: LineStyle.Dashed })
  const volumes: ISeriesApi<'Histogram'> = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'custom', formatter: (volume: number) => formatCompact(volume), minMove: 1e-9 },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })
  chart.timeScale().subscribeVisibleLogicalRangeChange(range => {
    if (range !== null && range.from < NEAR_END) onNearStart()
  })
  let palette = paletteOf(element)
  let held: readonly Bar[] = []

  const volumeOf = ({ time, open, close, volume }: Bar) => ({
    time: time as UTCTimestamp,
    value: volume,
    color: withAlpha(close >= open ? palette.up : palette.down, 0.35),
  })
  const candleOf = ({ time, open, high, low, close }: Bar) => ({ time: time as UTCTimestamp, open, high, low, close })

  function showNewest(): void {
    if (held.length === 0) return
    chart.timeScale().setVisibleLogicalRange({ from: Math.max(-5, held.length - NEWEST_BARS), to: held.length + 3 })
  }

  function repaint(): void {
    palette = paletteOf(element)
    const { ink, line, up, down, surface } = palette
    chart.applyOptions({
      layout: { background: { color: surface }, textColor: ink, fontFamily: getComputedStyle(element).fontFamily },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
    })
    candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
    volumes.setData(held.map(volumeOf))
  }

  repaint()
  return {
    replace(bars) {
      const grown = bars.length - held.length
      const range = chart.timeScale().getVisibleLogicalRange()
      const isFirst = held.length === 0
      held = bars
      candles.applyOptions({
        priceFormat: priceFormatOf(bars),
      })
      candles.setData(bars.map(candleOf))
      volumes.setData(bars.map(volumeOf))
      if (isFirst) showNewest()
      // Older bars were added on the left: the visible range moves with its bars.
      else if (range !== null && grown > 0) chart.timeScale().setVisibleLogicalRange({ from: range.from + grown, to: range.to + grown })
    },
    update(bar) {
      held = held.at(-1)?.time === bar.time ? [...held.slice(0, -1), bar] : [...held, bar]
      candles.update(candleOf(bar))
      volumes.update(volumeOf(bar))
    },
    repaint,
    showNewest,
    remove: () => chart.remove(),
  }
}

/** Labels of the price axis. The label at zero is a sum of float steps, which is rounded to `0`. */
function priceFormatOf(bars: readonly Bar[]) {
  const minMove = stepOf(bars)
  const formatter = (price: number) => (Math.abs(price) < minMove / 2 ? '0' : formatPrice(plain(price)))
  return { type: 'custom', minMove, formatter } as const
}

/** The smallest step of the price axis: a ten-thousandth of the price, as a power of ten. */
function stepOf(bars: readonly Bar[]): number {
  const price = bars.at(-1)?.close ?? 1
  return price > 0 ? 10 ** Math.max(-18, Math.floor(Math.log10(price)) - 4) : 1e-9
}

/** A canvas can not use CSS variables, so a hidden element resolves them. */
function paletteOf(element: HTMLElement): Palette {
  const probe = document.createElement('span')
  probe.hidden = true
  element.append(probe)
  const resolve = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const palette = { ink: resolve('ink-3'), line: resolve('line'), up: resolve('up'), down: resolve('down'), surface: resolve('surface') }
  probe.remove()
  return palette
}

/** @param rgb - as `getComputedStyle` writes it: `rgb(1, 2, 3)` */
function withAlpha(rgb: string, alpha: number): string {
  return rgb.replace(/^rgb\((.+)\)$/, `rgba($1, ${alpha})`)
}
