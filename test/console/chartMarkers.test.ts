import type { SeriesMarkerBar, UTCTimestamp } from 'lightweight-charts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createChart } from '#console/token/chart.ts'
import { chartTimeOf } from '#console/token/chartTime.ts'

const drawn = vi.hoisted(() => ({ markers: [] as readonly SeriesMarkerBar<UTCTimestamp>[] }))

/** Draws nothing, and keeps the markers. */
vi.mock('lightweight-charts', () => {
  const scale = {
    applyOptions: () => {},
    subscribeVisibleLogicalRangeChange: () => {},
    getVisibleLogicalRange: () => null,
    setVisibleLogicalRange: () => {},
  }
  const series = { applyOptions: () => {}, priceScale: () => scale, setData: () => {}, update: () => {} }
  const chart = {
    addSeries: () => series,
    priceScale: () => scale,
    timeScale: () => scale,
    subscribeCrosshairMove: () => {},
    applyOptions: () => {},
    remove: () => {},
  }
  return {
    CandlestickSeries: {},
    HistogramSeries: {},
    CrosshairMode: {},
    LineStyle: {},
    PriceScaleMode: {},
    TickMarkType: {},
    createChart: () => chart,
    createSeriesMarkers: () => ({ setMarkers: (markers: typeof drawn.markers) => void (drawn.markers = markers) }),
  }
})

beforeEach(() => {
  vi.stubGlobal('document', { createElement: () => ({ style: {}, remove: () => {} }) })
  vi.stubGlobal('getComputedStyle', () => ({ color: 'rgb(0, 0, 0)', fontFamily: '' }))
})
afterEach(() => vi.unstubAllGlobals())

const bar = (time: number, close = 1) => ({ time, open: 1, high: 2, low: 1, close, volume: 0 })

// It stood on the bar before until the chart was drawn as a whole.
test('the mark of a trade in a new interval moves to its bar when the bar comes', async () => {
  const time = chartTimeOf('1d', 0)
  const chart = createChart({ append: () => {} } as unknown as HTMLElement, {
    time,
    view: { measure: 'price', factor: 1, isLogarithmic: false },
    onNearStart: () => {},
    onPointed: () => {},
  })
  const shown = () => drawn.markers.map(marker => marker.time)
  chart.replace([bar(0), bar(86_400)])
  chart.mark([{ kind: 'creatorBuy', time: 172_900 }])
  expect(shown()).toEqual([86_400])
  chart.update(bar(86_400, 2))
  expect(shown()).toEqual([86_400])
  chart.update(bar(172_800))
  expect(shown()).toEqual([172_800])
})
