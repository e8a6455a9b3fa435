import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { WINDOW_FIELDS, WINDOW_NAMES, WINDOW_SECONDS } from '#domain/windows.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { WHOLE_CANDLES } from '#store/rows/foldMinutes.ts'
import { toBytes } from '#tables/columns.ts'
import { TOKEN } from '#tables/token.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { commitBlocks, openIndex, settle } from '#test/support/simulatedIndex.ts'
import { START_BLOCK } from '#test/support/simulatedLaunchpad.ts'

/*
 * After a provider had shown blocks with times of an hour ahead, windows had counts such as `buys: -3`: trades had left a window and left it
 * again. Of a maker with two trades the later one counted, though it had the earlier time. And a state had no trade that was earlier than
 * one of a block before.
 */

const database = await useDatabase()
const BLOCKS = 40
/** Windows fell below 0 in the first, the traders of a day in the last. */
const SEEDS = [1, 2, 8]
const GAPS = [0, 2, 200, 301, 3_601, 86_401, -2, -200, -301, -3_601, -86_401]

const fields = WINDOW_NAMES.flatMap(window =>
  (['volume', 'buyVolume', 'buys', 'sells', 'buyers', 'sellers'] as const).map(name => WINDOW_FIELDS[window][name]),
)
const columns = fields.map(field => TOKEN.columns.find(column => column.field === field)?.name ?? field)

async function negatives(): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select 'token' as of, address::text as key from token where least(${sql.join(columns.map(column => sql.ref(column)))}) < 0
    union all select 'candle', token::text from candle where least(trades, trades_usd) < 0 or least(volume_wei, volume_quote, volume_usd) < 0
    union all select 'totals', traders_h24::text from index_totals where least(trades_h24, traders_h24, volume_h24) < 0`.execute(
    database.kysely,
  )
  return rows
}

it('windows, candles and the newest trades are those of the trades, whatever the times of blocks', async () => {
  for (const seed of SEEDS) {
    await database.clear()
    const random = createRandom(seed)
    const { chain, mine } = createForkingChain(random, 64)
    for (let block = 0; block < BLOCKS; block++) mine(1, random.pick(GAPS))
    const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 8 })
    for (let next = START_BLOCK; next <= BLOCKS; ) {
      const blocks = Array.from({ length: Math.min(random.integer(1, 4), BLOCKS - next + 1) }, (_, above) => chain.at(next + above))
      next += blocks.length
      const committed = [await commitBlocks(index, ...blocks), await settle(index, chain.at(next - 1).header)]
      const states = committed.flatMap(block => block?.tokens ?? [])
      expect(states.map(newestTradeOf)).toEqual(await Promise.all(states.map(({ token }) => newestStored(token.address))))
      expect({ seed, next, wrong: await wrongWindows() }).toEqual({ seed, next, wrong: [] })
      expect({ seed, next, wrong: await wrongCandles() }).toEqual({ seed, next, wrong: [] })
      expect({ seed, next, negatives: await negatives() }).toEqual({ seed, next, negatives: [] })
    }
  }
})

function newestTradeOf({ recent }: TokenSnapshot): string | null {
  const newest = recent.trades.at(-1)
  return newest === undefined ? null : `${newest.blockNumber}:${newest.logIndex}`
}

async function newestStored(token: Address): Promise<string | null> {
  const { rows } = await sql<{ place: string }>`
    select block_number || ':' || log_index as place from trade where token = ${toBytes(token)}
    order by block_number desc, log_index desc limit 1`.execute(database.kysely)
  return rows[0]?.place ?? null
}

/** The windows whose counts differ from those of the trades after their start. */
async function wrongWindows(): Promise<readonly unknown[]> {
  const found = await Promise.all(
    WINDOW_NAMES.map(window => {
      const column = (name: 'buys' | 'sells' | 'buyers' | 'sellers' | 'volume') =>
        sql.ref(TOKEN.columns.find(({ field }) => field === WINDOW_FIELDS[window][name])?.name ?? name)
      return sql`
        select ${window} as name, address::text, array[${column('buys')}, ${column('sells')}, ${column('buyers')}, ${column('sellers')}, ${column('volume')}]::text as stored,
          counted.all::text as counted
        from token cross join lateral (
          select array[count(*) filter (where side = 'buy'), count(*) filter (where side = 'sell'), count(distinct maker) filter (where side = 'buy'),
            count(distinct maker) filter (where side = 'sell'), coalesce(sum(amount_wei), 0)] as all
          from trade where trade.token = address and timestamp > windows_at - ${WINDOW_SECONDS[window]}::bigint
        ) as counted
        where array[${column('buys')}, ${column('sells')}, ${column('buyers')}, ${column('sellers')}, ${column('volume')}]::text <> counted.all::text`.execute(
        database.kysely,
      )
    }),
  )
  return found.flatMap(({ rows }) => rows)
}

/** The candles whose number of trades is not that of the trades with their times. */
async function wrongCandles(): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select candle.token::text, candle.time, candle.interval_seconds, candle.trades, counted.trades as counted
    from ${sql.raw(WHOLE_CANDLES)} as candle cross join lateral (
      select count(*) as trades from trade
      where trade.token = candle.token and timestamp >= candle.time and timestamp < candle.time + candle.interval_seconds
    ) as counted where candle.trades <> counted.trades`.execute(database.kysely)
  return rows
}
