import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import { type LastTrades, WINDOW_NAMES, WINDOW_SECONDS } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { arrayOf, BIGINT, BYTEA, TEXT } from '#tables/binaryArray.ts'
import type { CurrentRows, MakerKey } from '#tables/changes.ts'

interface LastTradeRow {
  readonly token: Address
  readonly side: TradeSide
  readonly maker: Address
  readonly timestamp: number
}

/**
 * The last stored trades of the asked makers, and those that have left a window since the window was computed: makers who no longer count
 * in it. One index look-up per asked maker, and one per trade that has left a window.
 *
 * @param before only trades of earlier blocks count; `null`: all
 */
export async function loadLastTrades(
  db: Queryable,
  tokens: CurrentRows['tokens'],
  makers: readonly MakerKey[],
  { before, now }: { readonly before: number | null; readonly now: number },
): Promise<CurrentRows['lastTrades']> {
  const rows = [...tokens.values()]
  if (rows.length === 0) return new Map()
  const stored = before === null ? sql`` : sql`and block_number < ${before}::bigint`
  const known = makers.filter(({ token }) => tokens.has(token))
  const { rows: found } = await sql<LastTradeRow>`
    select asked.token, asked.side, asked.maker, last.timestamp
    from unnest(${arrayOf(BYTEA, known, 'token')}::bytea[], ${arrayOf(TEXT, known, 'side')}::text[], ${arrayOf(BYTEA, known, 'maker')}::bytea[])
      as asked (token, side, maker)
    cross join lateral (${lastTradeOf('asked', stored)}) as last
    union all
    select leaving.token, leaving.side, leaving.maker, leaving.timestamp
    from unnest(${arrayOf(BYTEA, rows, 'address')}::bytea[], ${arrayOf(BIGINT, rows, 'windowsAt')}::bigint[],
      ${arrayOf(BIGINT, rows, 'createdAt')}::bigint[]) as asked (token, was, created_at)
    cross join unnest(${WINDOW_NAMES.map(name => WINDOW_SECONDS[name])}::bigint[]) as win (seconds)
    cross join lateral (
      select * from trade where asked.created_at <= ${now} - win.seconds and trade.token = asked.token
        and timestamp > asked.was - win.seconds and timestamp <= least(${now} - win.seconds, asked.was) ${stored}
    ) as leaving
    cross join lateral (${lastTradeOf('leaving', stored)}) as last
    where last.block_number = leaving.block_number and last.log_index = leaving.log_index`.execute(db)
  const lastTrades = new Map<Address, { buy: Map<Address, number>; sell: Map<Address, number> }>()
  for (const { token, side, maker, timestamp } of found) {
    let ofToken = lastTrades.get(token)
    if (ofToken === undefined) lastTrades.set(token, (ofToken = { buy: new Map(), sell: new Map() }))
    ofToken[side].set(maker, timestamp)
  }
  return lastTrades satisfies ReadonlyMap<Address, LastTrades>
}

function lastTradeOf(of: string, stored: RawBuilder<unknown>): RawBuilder<unknown> {
  const sameMaker = ['token', 'side', 'maker'].map(name => sql`trade.${sql.ref(name)} = ${sql.ref(`${of}.${name}`)}`)
  return sql`select block_number, log_index, timestamp from trade where ${sql.join(sameMaker, sql` and `)} ${stored}
    order by block_number desc, log_index desc limit 1`
}
