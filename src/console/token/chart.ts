import {
  type AutoscaleInfo,
  CandlestickSeries,
  CrosshairMode,
  createChart as createLibraryChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineStyle,
  PriceScaleMode,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { formatCompact } from '#client/decimalText.ts'
import type { ChartMark } from '#console/state/chartMarks.ts'
import { axisLabels, formatMeasure, type Measure } from './axisLabels.ts'
import type { Bar } from './bar.ts'
import { paletteOf, withAlpha } from './chartPalette.ts'
import type { ChartTime, TimePart } from './chartTime.ts'
import { markersOf } from './markersOf.ts'

/** How the bars are drawn. */
export interface ChartView {
  readonly measure: Measure
  /** Number of tokens whose price is drawn: 1, or the supply. */
  readonly factor: number
  readonly isLogarithmic: boolean
}

export interface ChartOptions {
  readonly time: ChartTime
  readonly view: ChartView
  /** The first bars are near the left end of the visible range. */
  onNearStart(): void
  /** The bar below the pointer; `null` when there is none. */
  onPointed(bar: Bar | null): void
}

/** A drawn chart. */
export interface Chart {
  replace(bars: readonly Bar[]): void
  update(bar: Bar): void
  /** @param marks - in the order of time */
  mark(marks: readonly ChartMark[]): void
  show(view: ChartView): void
  /** Applies the colours of the current theme. */
  repaint(): void
  /** Scrolls to the newest bars. */
  showNewest(): void
  remove(): void
}

/** Older bars are loaded when fewer than this many are to the left of the visible range. */
const NEAR_END = 20
const NEWEST_BARS = 90
/** Pixels from bar to bar at most: a young token's few bars would be as wide as walls. */
const MAX_BAR_SPACING = 16
const FONT_SIZE = 11
/** The height of the newest price's label, and of half another one. */
const LABEL_PX = 1.5 * FONT_SIZE + 2

/** The smallest height of the price axis, as a share of the price: smaller moves do not fill the chart. */
const MIN_RANGE = 0.02

/** The smallest step of the price axis, as a share of the newest price. */
const MIN_STEP = 1e-6

/** Draws a chart in the element. This module is loaded with the first chart: the library is as large as the rest of the page. */
export function createChart(element: HTMLElement, { time, view: firstView, onNearStart, onPointed }: ChartOptions): Chart {
  const parts: Readonly<Record<number, TimePart>> = {
    [TickMarkType.Year]: 'year',
    [TickMarkType.Month]: 'month',
    [TickMarkType.DayOfMonth]: 'day',
  }
  const chart: IChartApi = createLibraryChart(element, {
    autoSize: true,
    // The library's logo needs inline styles, which the page's policy forbids. The footer names the library instead.
    layout: { attributionLogo: false, fontSize: FONT_SIZE },
    crosshair: { mode: CrosshairMode.Normal },
    rightPriceScale: { borderVisible: false, entireTextOnly: true, scaleMargins: { top: 0.12, bottom: 0.25 } },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      secondsVisible: false,
      rightOffset: 4,
      maxBarSpacing: MAX_BAR_SPACING,
      tickMarkFormatter: (at: Time, type: number) => time.tick(Number(at), parts[type] ?? 'time'),
    },
    localization: { timeFormatter: (at: Time) => time.moment(Number(at)) },
    handleScroll: { vertTouchDrag: false },
  })
  const candles: ISeriesApi<'Candlestick'> = chart.addSeries(CandlestickSeries, {
    borderVisible: false,
    priceLineStyle: LineStyle.Dashed,
    autoscaleInfoProvider: widened,
  })
  const volumes: ISeriesApi<'Histogram'> = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'custom', formatter: (volume: number) => formatCompact(volume), minMove: 1e-9 },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })
  const markers = createSeriesMarkers(candles, [])
  chart.timeScale().subscribeVisibleLogicalRangeChange(range => {
    if (range !== null && range.from < NEAR_END) onNearStart()
  })
  chart.subscribeCrosshairMove(({ time: at }) => {
    onPointed(at === undefined ? null : (held.find(bar => bar.time + time.shift === at) ?? null))
  })
  let palette = paletteOf(element)
  let view = firstView
  let held: readonly Bar[] = []
  /** What the library draws is the value in this unit: it takes no steps below 1e-18. */
  let unit = 1
  let marks: readonly ChartMark[] = []

  const timeOf = (bar: Bar) => (bar.time + time.shift) as UTCTimestamp
  const volumeOf = (bar: Bar) => ({
    time: timeOf(bar),
    value: bar.volume,
    color: withAlpha(bar.close >= bar.open ? palette.up : palette.down, 0.35),
  })
  const candleOf = (bar: Bar) => {
    const factor = view.factor / unit
    return { time: timeOf(bar), open: bar.open * factor, high: bar.high * factor, low: bar.low * factor, close: bar.close * factor }
  }

  const drawMarks = () => markers.setMarkers(markersOf(marks, held, { palette, timeOf }))

  /** The axis has no label where that of the newest price covers it. The library makes labels anew when it gets a format. */
  function drawAxis(): void {
    const { measure, factor } = view
    const yOf = (value: number) => candles.priceToCoordinate(value) ?? Number.POSITIVE_INFINITY
    const isCovered = (value: number) => Math.abs(yOf(value) - yOf(((held.at(-1)?.close ?? 0) * factor) / unit)) < LABEL_PX
    candles.applyOptions({
      priceFormat: {
        type: 'custom',
        minMove: MIN_STEP,
        formatter: (value: number) => formatMeasure(value * unit, measure),
        tickmarksFormatter: (values: number[]) => {
          const labels = axisLabels(
            values.map(value => value * unit),
            measure,
          )
          return labels.map((label, index) => (isCovered(values[index] ?? 0) ? '' : label))
        },
      },
    })
  }

  function draw(): void {
    const { factor, isLogarithmic } = view
    chart.priceScale('right').applyOptions({ mode: isLogarithmic ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal })
    unit = powerOfTen((held.at(-1)?.close ?? 1) * factor)
    candles.setData(held.map(candleOf))
    drawAxis()
    volumes.setData(held.map(volumeOf))
    drawMarks()
  }

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
    drawMarks()
  }

  repaint()
  return {
    replace(bars) {
      const first = held[0]?.time
      const added = bars.findIndex(each => each.time === first)
      const range = chart.timeScale().getVisibleLogicalRange()
      const isFirst = held.length === 0
      held = bars
      draw()
      if (isFirst) showNewest()
      // Older bars were added on the left: the visible range moves with its bars.
      else if (range !== null && added > 0) chart.timeScale().setVisibleLogicalRange({ from: range.from + added, to: range.to + added })
    },
    update(bar) {
      const isNew = held.at(-1)?.time !== bar.time
      held = isNew ? [...held, bar] : [...held.slice(0, -1), bar]
      candles.update(candleOf(bar))
      volumes.update(volumeOf(bar))
      drawAxis()
      // A mark that came before its bar still stands on the bar before.
      if (isNew) drawMarks()
    },
    mark(next) {
      marks = next
      drawMarks()
    },
    show(next) {
      view = next
      draw()
    },
    repaint,
    showNewest,
    remove: () => chart.remove(),
  }
}

/** Widens a narrow range of the price axis, so that a move by a thousandth does not look large. */
function widened(original: () => AutoscaleInfo | null): AutoscaleInfo | null {
  const info = original()
  if (info === null || info.priceRange === null) return info
  const { minValue, maxValue } = info.priceRange
  const missing = Math.max(0, MIN_RANGE * maxValue - (maxValue - minValue)) / 2
  return { ...info, priceRange: { minValue: minValue - missing, maxValue: maxValue + missing } }
}

/** The largest power of ten that is not above a value; 1 for a value of nothing. */
function powerOfTen(value: number): number {
  return value > 0 ? 10 ** Math.floor(Math.log10(value)) : 1
}
