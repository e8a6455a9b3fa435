import { CANDLE_INTERVALS } from '#domain/candle.ts'
import { candles as resource } from '#resources/candles.ts'
import { WHOLE_CANDLES } from '#store/rows/wholeCandles.ts'
import { columnsOf, type View, wholeUnitsOf } from './view.ts'

const INTERVAL = `case candle.interval_seconds ${Object.entries(CANDLE_INTERVALS)
  .map(([name, seconds]) => `when ${seconds} then '${name}'`)
  .join(' ')} end`

const inUsd = (meaning: string) => `${meaning} in USD at the time of the trades. \`null\`: the price of ETH was not known.`

/** REST also has the newest candle close at the present price, where the rate of the quote currency has moved. */
export const CANDLES: View = {
  name: 'candles',
  meaning: 'Candles of the stored intervals, with prices and volume in WETH and in USD.',
  item: resource.item,
  columns: [
    { name: 'token', kind: 'bytes', sql: 'candle.token', meaning: 'Address of the token.' },
    { name: 'interval', kind: 'text', sql: INTERVAL, meaning: `Length: ${Object.keys(CANDLE_INTERVALS).join(', ')}.` },
    ...columnsOf('seconds', { time: 'candle.time' }),
    ...columnsOf('decimal', {
      open: 'candle.open',
      high: 'candle.high',
      low: 'candle.low',
      close: 'candle.close',
      volume: wholeUnitsOf('candle.volume_wei'),
    }),
    ...columnsOf('count', { trades: 'candle.trades' }),
    { name: 'openUsd', kind: 'decimal', sql: 'candle.open_usd', meaning: inUsd('First price') },
    { name: 'highUsd', kind: 'decimal', sql: 'candle.high_usd', meaning: inUsd('Highest price') },
    { name: 'lowUsd', kind: 'decimal', sql: 'candle.low_usd', meaning: inUsd('Lowest price') },
    { name: 'closeUsd', kind: 'decimal', sql: 'candle.close_usd', meaning: inUsd('Last price') },
    { name: 'volumeUsd', kind: 'decimal', sql: 'candle.volume_usd', meaning: inUsd('Traded value') },
  ],
  from: `${WHOLE_CANDLES} as candle`,
  where: 'candle.close is not null',
  order: 'candle.token, candle.interval_seconds, candle.time',
  leading: { table: 'candle', column: 'token', holds: 'address' },
  filters: {
    token: 'candle.token',
    launchpad: '(select launchpad from token where token.address = candle.token)',
    time: 'candle.time',
  },
  keys: { token_bytes: 'candle.token' },
}
