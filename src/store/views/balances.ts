import { CLASS_BITS, EARLY_CLASSES } from '#domain/earlyWallets.ts'
import { holders } from '#resources/holders.ts'
import { traders } from '#resources/traders.ts'
import { IS_TRADER } from '#tables/balance.ts'
import { columnsOf, inUnits, percentOfSupply, significant, type View, wholeUnitsOf } from './view.ts'

const TOKEN = { ...columnsOf('bytes', { token: 'balance.token' })[0], meaning: 'Address of the token.' } as View['columns'][number]
const HELD = 'case when balance.balance >= 0 then balance.balance end'
const KEYS = { token_bytes: 'balance.token', address_bytes: 'balance.holder' }
const FROM = 'balance join token on token.address = balance.token'

const PERCENT = `coalesce(${percentOfSupply('balance.balance')}, 0)`
/** `null` for tokens that were indexed before the classes of early wallets were. */
const CLASSES = `case when token.creator_held is not null then to_json(array_remove(array[${EARLY_CLASSES.map(
  name => `case when balance.classes & ${CLASS_BITS[name]} <> 0 then '${name}' end`,
).join(', ')}], null)) end`

/** @see `toHolder` */
export const HOLDERS: View = {
  name: 'holders',
  meaning: 'Who holds each token.',
  item: holders.item,
  columns: [
    TOKEN,
    ...columnsOf('count', { rank: 'row_number() over (partition by balance.token order by - balance.balance, balance.holder)' }),
    ...columnsOf('bytes', { address: 'balance.holder' }),
    ...columnsOf('decimal', { balance: 'balance.balance' }),
    ...columnsOf('number', { percent: PERCENT }),
    ...columnsOf('text', { type: 'balance.type' }),
    ...columnsOf('block', { lastChangedBlock: 'balance.last_changed_block' }),
    ...columnsOf('json', { classes: CLASSES }),
  ],
  from: FROM,
  where: 'balance.balance > 0',
  order: 'balance.token, - balance.balance, balance.holder',
  leading: { table: 'balance', column: 'token', holds: 'address' },
  filters: { token: 'balance.token', launchpad: 'token.launchpad', time: null },
  keys: KEYS,
}

const value = (price: string) => significant(`${price} * ${inUnits(HELD, 'token.decimals')}`)
const VALUE_WETH = value('token.price_weth')
const VALUE_USD = value('(token.price_quote * token.quote_usd)')
/** The division is cut to 60 decimals before it is rounded, as in REST. */
const average = (cost: string) => significant(`div(${cost} * ('1e' || token.decimals)::numeric * 1e60, nullif(${HELD}, 0) * 1e18) * 1e-60`)

/** @see `readTraders` */
export const TRADERS: View = {
  name: 'traders',
  meaning: 'Who traded each token, with profit by average cost. Present values in USD are those by a peg of the quote currency.',
  item: traders.item,
  columns: [
    TOKEN,
    ...columnsOf('bytes', { address: 'balance.holder' }),
    ...columnsOf('text', { type: 'balance.type' }),
    ...columnsOf('count', { buys: 'balance.buys', sells: 'balance.sells' }),
    ...columnsOf('decimal', {
      boughtToken: 'balance.bought_token',
      soldToken: 'balance.sold_token',
      boughtWeth: wholeUnitsOf('balance.bought_wei'),
      boughtUsd: wholeUnitsOf('balance.bought_usd'),
      soldWeth: wholeUnitsOf('balance.sold_wei'),
      soldUsd: wholeUnitsOf('balance.sold_usd'),
      volumeWeth: wholeUnitsOf('balance.bought_wei + balance.sold_wei'),
      volumeUsd: wholeUnitsOf('balance.bought_usd + balance.sold_usd'),
      balance: HELD,
    }),
    ...columnsOf('number', { percent: `case when balance.balance >= 0 then ${PERCENT} end` }),
    ...columnsOf('decimal', {
      valueWeth: `round(${VALUE_WETH}, 18)`,
      valueUsd: `round(${VALUE_USD}, 18)`,
      costWeth: wholeUnitsOf('balance.cost_wei'),
      costUsd: wholeUnitsOf('balance.cost_usd'),
      averageCostWeth: average('balance.cost_wei'),
      averageCostUsd: average('balance.cost_usd'),
      unrealizedWeth: `round(${VALUE_WETH} - ${wholeUnitsOf('balance.cost_wei')}, 18)`,
      unrealizedUsd: `round(${VALUE_USD}, 18) - ${wholeUnitsOf('balance.cost_usd')}`,
      realizedWeth: wholeUnitsOf('balance.realized_wei'),
      realizedUsd: wholeUnitsOf('balance.realized_usd'),
    }),
    ...columnsOf('time', { firstTradeAt: 'balance.first_trade_at', lastTradeAt: 'greatest(balance.last_buy_at, balance.last_sell_at)' }),
    ...columnsOf('json', { classes: CLASSES }),
  ],
  from: FROM,
  where: IS_TRADER,
  order: 'balance.token, balance.holder',
  leading: { table: 'balance', column: 'token', holds: 'address' },
  filters: { token: 'balance.token', launchpad: 'token.launchpad', time: null },
  keys: KEYS,
}
