const { EntitySchema } = require('typeorm')

const text = { type: 'text' }
const integer = { type: 'int4' }
const float = { type: 'float8' }
const numeric = { type: 'numeric', transformer: { to: value => value?.toString(), from: value => (value == null ? value : BigInt(value)) } }

class Token {}
class Market {}
class Trade {}
class Balance {}
class Candle {}

const id = { ...text, primary: true }
const optional = type => ({ ...type, nullable: true })

const COLUMNS = new Map([
  [
    Token,
    {
      creator: text,
      symbol: text,
      name: text,
      metadataUri: text,
      createdAt: integer,
      createdBlock: integer,
      price: optional(float),
      tradeCount: integer,
      volumeWei: numeric,
      pool: optional(text),
      lastTradeAt: optional(integer),
    },
  ],
  // The token that a curve or pool trades.
  [Market, { token: text }],
  [
    Trade,
    {
      token: text,
      pool: text,
      side: text,
      maker: text,
      amountToken: numeric,
      amountWei: numeric,
      price: float,
      blockNumber: integer,
      txHash: text,
      logIndex: integer,
      timestamp: integer,
    },
  ],
  [Balance, { token: text, holder: text, balance: numeric }],
  [
    Candle,
    {
      token: text,
      intervalSeconds: integer,
      time: integer,
      open: float,
      high: float,
      low: float,
      close: float,
      volumeWei: numeric,
      trades: integer,
    },
  ],
])
const INDEXES = new Map([[Trade, [{ columns: ['token', 'timestamp'] }, { columns: ['maker'] }]]])

const schemas = [...COLUMNS].map(
  ([target, columns]) => new EntitySchema({ name: target.name, target, columns: { id, ...columns }, indices: INDEXES.get(target) ?? [] }),
)

module.exports = { Token, Market, Trade, Balance, Candle, schemas }
