import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { WINDOW_FIELDS, WINDOW_NAMES } from '#domain/windows.ts'
import { TOKEN } from '#tables/token.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { commitBlocks, openIndex, settle } from '#test/support/simulatedIndex.ts'
import { START_BLOCK } from '#test/support/simulatedLaunchpad.ts'

/*
 * After a provider had shown blocks with times of an hour ahead, windows had counts such as `buys: -3`: trades had left a window and left it
 * again. Fetching refuses times that fall (`assertTimesAscend`). Here they come through, and still nothing is counted down twice.
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

it('no count falls below 0, whatever the times of blocks', async () => {
  for (const seed of SEEDS) {
    await database.clear()
    const random = createRandom(seed)
    const { chain, mine } = createForkingChain(random, 64)
    for (let block = 0; block < BLOCKS; block++) mine(1, random.pick(GAPS))
    const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 8 })
    for (let next = START_BLOCK; next <= BLOCKS; ) {
      const blocks = Array.from({ length: Math.min(random.integer(1, 4), BLOCKS - next + 1) }, (_, above) => chain.at(next + above))
      next += blocks.length
      await commitBlocks(index, ...blocks)
      await settle(index, chain.at(next - 1).header)
      expect({ seed, next, negatives: await negatives() }).toEqual({ seed, next, negatives: [] })
    }
  }
})
