import { trades as resource } from '#resources/trades.ts'
import { columnsOf, shownPoolSql, significant, type View, wholeUnitsOf } from './view.ts'

const AMOUNT_WETH = wholeUnitsOf('trade.amount_wei')
const usd = (stored: string, weth: string) => `coalesce(${stored}, ${significant(`${weth} * trade.eth_usd`)})`

/** @see `toTrade` */
export const TRADES: View = {
  name: 'trades',
  meaning: 'Trades, each once.',
  item: resource.item,
  columns: [
    { name: 'id', kind: 'text', sql: `trade.block_number || '-' || trade.log_index` },
    ...columnsOf('bytes', { token: 'trade.token' }),
    ...columnsOf('bytes', { pool: shownPoolSql('trade.pool') }),
    ...columnsOf('text', { phase: 'trade.phase', side: 'trade.side' }),
    ...columnsOf('bytes', { maker: 'trade.maker' }),
    ...columnsOf('decimal', {
      amountToken: 'trade.amount_token',
      amountQuote: 'coalesce(trade.amount_quote, trade.amount_wei)',
      amountWeth: AMOUNT_WETH,
      priceWeth: 'trade.price_weth',
      priceAfterWeth: 'trade.price_after_weth',
      priceUsd: usd('trade.price_usd', 'trade.price_weth'),
      valueUsd: usd('trade.value_usd', AMOUNT_WETH),
      feeWeth: wholeUnitsOf('trade.fee_wei'),
    }),
    ...columnsOf('block', { blockNumber: 'trade.block_number' }),
    ...columnsOf('bytes', { blockHash: 'trade.block_hash', txHash: 'trade.tx_hash' }),
    ...columnsOf('count', { txIndex: 'trade.tx_index', logIndex: 'trade.log_index' }),
    ...columnsOf('time', { timestamp: 'trade.timestamp' }),
  ],
  from: 'trade',
  order: 'trade.block_number, trade.log_index',
  leading: { table: 'trade', column: 'block_number', holds: 'block' },
  filters: { token: 'trade.token', launchpad: '(select launchpad from token where token.address = trade.token)', time: 'trade.timestamp' },
  keys: { token_bytes: 'trade.token', maker_bytes: 'trade.maker' },
}
