import { CandlestickSeries, createChart } from 'lightweight-charts'
import { useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { createTokenwire } from 'tokenwire/client'
import { fillCandles } from 'tokenwire/client/candles'
import { formatPrice } from 'tokenwire/client/format'
import { createLive } from 'tokenwire/client/live'
import { useCandles } from 'tokenwire/client/react'

/* A live chart in React, for a bundler such as Vite, with Lightweight Charts. `#<service>/<token>` says what it shows. */

const [, url = 'http://localhost:3000', token = ''] = /^#(.*)\/(0x\w+)$/.exec(location.hash) ?? []
const live = createLive(createTokenwire({ url }))

/** Without an exponent. */
const DECIMAL = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 8 })

function Chart({ token, interval }) {
  const { data, error, isLoading } = useCandles(live, { token, interval, limit: 500 })
  const place = useRef(null)
  const series = useRef(null)
  useEffect(() => {
    const chart = createChart(place.current, { width: 800, height: 400 })
    series.current = chart.addSeries(CandlestickSeries)
    return () => chart.remove()
  }, [])
  useEffect(() => {
    const newest = data?.candles.at(-1)
    if (newest === undefined) return
    // The library can't draw prices such as 0.0000000000012: it gets them in a unit of their size, and the axis writes them in full.
    const unit = 10 ** Math.floor(Math.log10(Number(newest.close) || 1))
    const priceFormat = { type: 'custom', minMove: 1e-6, formatter: value => formatPrice(DECIMAL.format(value * unit)) }
    const bars = fillCandles(data.candles, interval).map(({ time, open, high, low, close }) => {
      return { time, open: open / unit, high: high / unit, low: low / unit, close: close / unit }
    })
    series.current.applyOptions({ priceFormat })
    series.current.setData(bars)
  }, [data, interval])
  return (
    <figure>
      <figcaption>{error?.message ?? (isLoading ? 'loading' : `closed at Ξ${formatPrice(data.candles.at(-1)?.close ?? null)}`)}</figcaption>
      <div ref={place} />
    </figure>
  )
}

createRoot(document.getElementById('app')).render(<Chart token={token} interval="1m" />)
