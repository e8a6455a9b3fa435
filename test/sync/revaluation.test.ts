import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables, dumpWithoutRates } from '#test/support/indexChain.ts'
import { DOLLAR } from '#test/support/simulatedClanker.ts'
import { commitBlocks, indexAtOnce, openIndex, replaceWith, wholeBlock } from '#test/support/simulatedIndex.ts'
import { START_BLOCK } from '#test/support/simulatedLaunchpad.ts'

/*
 * A random chain with tokens in dollars, which a pool values in WETH, and in a token of the index, is followed through reorgs. What a
 * currency's moves change of its tokens is what they are worth now, and nothing that happened.
 */

const MAX_REORG_DEPTH = 64

const followed = await useDatabase()
const fresh = await useDatabase()
const range = await useDatabase()

interface Valued {
  readonly symbol: string
  readonly quote: string | null
  readonly off: number | null
  readonly price: boolean
  readonly cap: boolean
  readonly sequence: number
}

/** How far each token's currency is from what the token is valued by, and whether its values follow from that. */
async function valued(database: typeof followed): Promise<ReadonlyMap<string, Valued>> {
  const { rows } = await sql<Valued & { address: string }>`
    select encode(token.address, 'hex') as address, token.symbol, encode(token.quote_token, 'hex') as quote,
      abs(token.quote_rate / quoted.rate - 1)::float8 as off,
      abs(token.price_weth - token.price_quote * token.quote_rate) <= token.price_weth * 1e-18 as price,
      abs(token.market_cap_weth - token.price_weth * token.total_supply / 10::numeric ^ token.decimals) <= token.market_cap_weth * 1e-18 as cap,
      token.sequence
    from token left join lateral (
      select pool.price * coalesce((
          select further.price from token as next join pool as further on further.address = next.main_pool where next.address = pool.quote_token
        ), 1) as rate
      from pool where pool.token = token.quote_token and (pool.token = decode(${DOLLAR.slice(2)}, 'hex')
        or pool.address = (select main_pool from token as quote where quote.address = token.quote_token)) limit 1
    ) as quoted on true where token.quote_token is not null and token.quote_rate is not null`.execute(database.kysely)
  return new Map(rows.map(({ address, ...row }) => [address, row]))
}

/** Tokens that were outdated, over all seeds. */
let revalued = 0

it.each(Array.from({ length: 2 }, (_, seed) => seed))('gives the values of a fresh index, through reorgs (seed %i)', async seed => {
  for (const database of [followed, fresh, range]) await database.clear()
  const random = createRandom(seed)
  const forking = createForkingChain(random, MAX_REORG_DEPTH)
  const { chain } = forking
  const options = { genesisHash: chain.at(0).header.hash, maxReorgDepth: MAX_REORG_DEPTH, revaluedPerBlock: seed === 0 ? 1 : 20 }
  const index = await openIndex(followed, options)
  let indexed = 0
  for (let step = 0; step < 6; step++) {
    forking.mine(random.integer(6, 14))
    while (indexed < chain.head().header.number) {
      const before = await valued(followed)
      await commitBlocks(index, chain.at(++indexed))
      for (const [address, is] of await valued(followed)) {
        const was = before.get(address)
        expect([is.price, is.cap]).toEqual([true, true])
        // What was outdated before the block is up to date after it: of the pool's price then, or of that in the block.
        if (was !== undefined && (was.off ?? 0) > 0.005 && options.revaluedPerBlock > 1) {
          revalued += 1
          expect(is.sequence).toBeGreaterThan(was.sequence)
          expect(is.off).toBeLessThan(1e-15)
        }
      }
    }
    const before = chain.head().header.number
    const { dropped } = forking.fork(random.integer(1, 8), random.integer(0, 2))
    if (dropped.length === 0) continue
    const ancestor = before - dropped.length
    const added = Array.from({ length: chain.head().header.number - ancestor }, (_, above) => chain.at(ancestor + 1 + above))
    await replaceWith(index, { ancestor: ancestor < START_BLOCK ? null : chain.at(ancestor).header, batches: added.map(wholeBlock) })
    indexed = chain.head().header.number
  }

  const again = await openIndex(fresh, options)
  for (let number = START_BLOCK; number <= indexed; number++) await commitBlocks(again, chain.at(number))
  expect(await dumpTables(followed.kysely)).toEqual(await dumpTables(fresh.kysely))
  const turns = (database: typeof followed) => sql`select number, revalued_to from block order by number`.execute(database.kysely)
  expect((await turns(followed)).rows.slice(-MAX_REORG_DEPTH)).toEqual((await turns(fresh)).rows.slice(-MAX_REORG_DEPTH))
  await indexAtOnce(range, chain, indexed)
  expect(await dumpWithoutRates(range.kysely)).toEqual(await dumpWithoutRates(followed.kysely))
})

it('has met with outdated tokens', () => expect(revalued).toBeGreaterThan(0))
