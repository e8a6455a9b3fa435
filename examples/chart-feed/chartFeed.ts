import { createTokenwire } from 'tokenwire/client'
import { fillCandles } from 'tokenwire/client/candles'
import { createLive } from 'tokenwire/client/live'

/*
 * npx node examples/chart-feed/chartFeed.ts <token> [service]: a chart's bars as lines of JSON. First all (`setData` of Lightweight Charts),
 * then those that changed (`update`). Intervals without a trade carry the close before them, so that the bars join.
 */

const [token = '', url = 'http://localhost:3000'] = process.argv.slice(2)
const interval = '1m'
const tokenwire = createTokenwire({ url, onError: error => console.error(String(error)) })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => tokenwire.close())

let newest = 0
for await (const { candles, changedFrom } of createLive(tokenwire).candles({ token, interval, limit: 500 })) {
  const bars = fillCandles(candles, interval).map(({ time, open, high, low, close, volume }) => {
    return { time, open: Number(open), high: Number(high), low: Number(low), close: Number(close), volume: Number(volume) }
  })
  // A chart can only change its newest bar, and add later ones: what reaches further back replaces all bars.
  const isReplaced = changedFrom < newest || (bars.at(-1)?.time ?? 0) < newest
  if (isReplaced || newest === 0) console.log(JSON.stringify({ setData: bars }))
  else for (const bar of bars.filter(({ time }) => time >= newest)) console.log(JSON.stringify({ update: bar }))
  newest = bars.at(-1)?.time ?? 0
}
