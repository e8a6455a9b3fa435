import { index, onchainTable, primaryKey } from 'ponder'

export const token = onchainTable('token', t => ({
  address: t.hex().primaryKey(),
  creator: t.hex().notNull(),
  symbol: t.text().notNull(),
  name: t.text().notNull(),
  metadataUri: t.text().notNull(),
  createdAt: t.bigint().notNull(),
  createdBlock: t.bigint().notNull(),
  price: t.doublePrecision(),
  tradeCount: t.integer().notNull(),
  volumeWei: t.bigint().notNull(),
  pool: t.hex(),
  lastTradeAt: t.bigint(),
}))

/** The token that a curve or pool trades. */
export const market = onchainTable('market', t => ({ address: t.hex().primaryKey(), token: t.hex().notNull() }))

export const trade = onchainTable(
  'trade',
  t => ({
    id: t.text().primaryKey(),
    token: t.hex().notNull(),
    pool: t.hex().notNull(),
    side: t.text().notNull(),
    maker: t.hex().notNull(),
    amountToken: t.bigint().notNull(),
    amountWei: t.bigint().notNull(),
    price: t.doublePrecision().notNull(),
    blockNumber: t.bigint().notNull(),
    txHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    timestamp: t.bigint().notNull(),
  }),
  table => ({ byToken: index().on(table.token, table.timestamp), byMaker: index().on(table.maker) }),
)

export const balance = onchainTable(
  'balance',
  t => ({ token: t.hex().notNull(), holder: t.hex().notNull(), balance: t.bigint().notNull() }),
  table => ({ pk: primaryKey({ columns: [table.token, table.holder] }) }),
)

export const candle = onchainTable(
  'candle',
  t => ({
    token: t.hex().notNull(),
    intervalSeconds: t.integer().notNull(),
    time: t.integer().notNull(),
    open: t.doublePrecision().notNull(),
    high: t.doublePrecision().notNull(),
    low: t.doublePrecision().notNull(),
    close: t.doublePrecision().notNull(),
    volumeWei: t.bigint().notNull(),
    trades: t.integer().notNull(),
  }),
  table => ({ pk: primaryKey({ columns: [table.token, table.intervalSeconds, table.time] }) }),
)
