import { sql } from 'kysely'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { ENTITIES } from '#tables/entities.ts'
import { columnsOf } from '#test/support/columnsOf.ts'

/** A row for an insert: columns by name, `bytea` as hex with `0x`, `numeric` as text. Omitted columns are null. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/** The address whose number is `n`. */
export function addressOf(n: number): Address {
  return toAddress(`0x${n.toString(16).padStart(40, '0')}`)
}

/** The 32-byte word whose number is `n`. */
export function wordOf(n: number): Hex {
  return `0x${n.toString(16).padStart(64, '0')}`
}

const BYTES: ReadonlySet<string> = new Set(
  ENTITIES.flatMap(columnsOf).flatMap(({ name, type }) => (type.getColumnType() === 'bytea' ? [name] : [])),
)

/** Inserts rows that have the same columns. */
export async function insertRows(db: Queryable, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = sql.join(Object.keys(first).map(name => sql.ref(name)))
  const json = JSON.stringify(rows, (name, value: unknown) =>
    typeof value === 'string' && BYTES.has(name) ? value.replace(/^0x/, '\\x') : value,
  )
  await sql`insert into ${sql.table(table)} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${json}::jsonb)`.execute(db)
}

/** A token without trades, with every column that must not be null. */
export function tokenRow(n: number, columns: Row = {}): Row {
  const windows = ['m5', 'h1', 'h6', 'h24'].flatMap(name => [
    [`volume_${name}`, '0'],
    [`buy_volume_${name}`, '0'],
    [`buys_${name}`, 0],
    [`sells_${name}`, 0],
    [`buyers_${name}`, 0],
    [`sellers_${name}`, 0],
  ])
  return {
    address: addressOf(n),
    launchpad: 'test',
    symbol: `T${n}`,
    name: `Token ${n}`,
    decimals: 18,
    total_supply: '1000000000000000000000000000',
    creator: addressOf(0xc0de),
    created_at: 1_700_000_000,
    created_block: 1,
    created_tx_hash: wordOf(n),
    main_pool: null,
    price_weth: null,
    first_price_weth: null,
    market_cap_weth: null,
    liquidity_weth: null,
    trade_count: 0,
    holder_count: 0,
    last_trade_at: null,
    ...Object.fromEntries(windows),
    price_change_m5: null,
    price_change_h1: null,
    price_change_h24: null,
    windows_at: 1_700_000_000,
    graduation_status: 'none',
    graduation_percent: null,
    migrated_at: null,
    sequence: 1_700_000_000_000,
    as_of_block: 1,
    updated_at_ms: 1_700_000_000_000,
    ...columns,
  }
}

/** A Uniswap v4 pool of a token. */
export function poolRow(n: number, token: number, columns: Row = {}): Row {
  return {
    address: wordOf(n),
    token: addressOf(token),
    launchpad: 'test',
    type: 'uniswap-v4',
    quote_token: addressOf(0x3e7),
    token_is_token0: true,
    fee_bps: 0.3,
    reserve_token: '1',
    reserve_quote: '340282366920938463463374607431768211455',
    sqrt_price_x96: '79228162514264337593543950336',
    tick: -887272,
    liquidity: '5',
    created_block: 3,
    ...columns,
  }
}

export function tradeRow(token: Address, blockNumber: number, logIndex: number, columns: Row = {}): Row {
  return {
    block_number: blockNumber,
    log_index: logIndex,
    token,
    pool: addressOf(0x9001),
    phase: 'curve',
    side: 'buy',
    maker: addressOf(0xa11ce),
    amount_token: '1000000000000000000',
    amount_wei: '1000000000000000',
    fee_wei: '10000000000000',
    price_weth: '0.00099',
    eth_usd: null,
    block_hash: wordOf(blockNumber),
    tx_hash: wordOf(blockNumber * 1000 + logIndex),
    tx_index: 0,
    timestamp: 1_700_000_000 + blockNumber * 2,
    ...columns,
  }
}

export function chainStateRow(columns: Row = {}): Row {
  return {
    chain_id: 31337,
    genesis_hash: wordOf(0),
    weth: addressOf(0x3e7),
    launchpads: 'not read here',
    cursor_number: 456,
    cursor_hash: wordOf(456),
    cursor_timestamp: 1_700_086_400,
    committed_at_ms: 1_700_086_401_234,
    ...columns,
  }
}
