import { sql } from 'kysely'
import { formatUnits, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { formatDecimal, parseDecimal } from '#domain/decimal.ts'
import type { TradeSide } from '#domain/trade.ts'
import { quotePrice } from '#launchpads/poolTrade.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { openNadFun } from '#test/support/pads/nadFun.ts'
import { ERC20, type Pad, padContract } from '#test/support/pads/pad.ts'
import { startSync } from '#test/support/startSync.ts'

// Launchpads whose events name less than others: each is indexed by its published mapping, and compared with its contracts.

const PADS = [['nad.fun', openNadFun]] as const

const ACTIONS = 40
const REORG_DEPTH = 9

interface TradeLine {
  readonly block: string
  readonly token: Address
  readonly phase: 'curve' | 'pool'
  readonly side: TradeSide
  readonly maker: Address
  readonly amountToken: string
  readonly amountQuote: string
  readonly price: string
  readonly reserveToken: string
  readonly reserveQuote: string
}

/** Trades of three tokens, the first of which graduates, with a reorg of indexed blocks in between. */
async function play(chain: TestChain, pad: Pad, indexed: () => Promise<unknown>): Promise<void> {
  const random = createRandom(27)
  const trader = () => random.pick(chain.accounts.slice(1, 5))
  const traded = async (token: Address) => {
    const from = trader()
    const held = await padContract(chain, token, ERC20).read<bigint>('balanceOf', [from])
    if (held > 0n && random.chance(0.4)) await pad.trade(from, token, 'sell', held / BigInt(random.integer(2, 6)))
    else await pad.trade(from, token, 'buy', BigInt(Math.floor(random.spread(1e15, 1e17))))
  }
  for (const firstBuy of ['0.2', '0', '0.05']) await pad.launch(trader(), parseEther(firstBuy))
  for (let count = 0; count < ACTIONS; count++) {
    if (count === ACTIONS / 2) {
      await indexed()
      await chain.reorg(REORG_DEPTH)
    }
    await traded(pad.tokens[count % 3] ?? expect.unreachable())
  }
  await pad.trade(trader(), pad.tokens[0] ?? expect.unreachable(), 'buy', parseEther('60'))
  await traded(pad.tokens[1] ?? expect.unreachable())
}

describe.each(PADS)('%s', async (_, open) => {
  const followed = await useDatabase()
  const backfilled = await useDatabase()
  let chain: TestChain
  let pad: Pad
  let committed: Awaited<ReturnType<typeof startSync>>['blocks']
  let trades: readonly TradeLine[]

  beforeAll(async () => {
    chain = await startTestChain()
    pad = await open(chain)
    const live = await startSync(chain, followed, { urls: [chain.anvil.url], launchpads: pad.launchpads, maxReorgDepth: 128 })
    const indexed = async () => live.reached((await chain.client.getBlock()).hash)
    await play(chain, pad, indexed)
    await indexed()
    await live.stop()
    committed = live.blocks
    const { rows } = await sql<TradeLine>`
      select block_number::text as block, token, phase, side, maker, amount_token::text as "amountToken",
        coalesce(amount_quote, amount_wei)::text as "amountQuote", coalesce(pool_price, price_after_weth)::text as price,
        reserve_token::text as "reserveToken", reserve_quote::text as "reserveQuote"
      from trade order by block_number, log_index`.execute(followed.kysely)
    trades = rows
  })
  afterAll(() => chain?.stop())

  it('shows in every block what its contracts say', async () => {
    let compared = 0
    let graduated = 0
    for (const { number, hash, tokens } of committed) {
      const block = BigInt(number)
      if ((await chain.client.getBlock({ blockNumber: block })).hash !== hash) continue
      for (const { token } of tokens) {
        const { creator, name, symbol, quoteToken, real, pair, targetQuote } = await pad.stateAt(token.address, block)
        const reserves = pair ?? real
        const isTraded = token.market.tradeCount > 0
        if (pair !== null) graduated++
        expect(token).toMatchObject({
          creator: toAddress(creator),
          name,
          symbol,
          pool: {
            quoteToken: toAddress(quoteToken),
            reserveQuote: String(reserves.quote),
            // Some launches do not tell the tokens.
            reserveToken: isTraded ? String(reserves.token) : expect.toSatisfy(told => told === null || told === String(reserves.token)),
          },
          graduation: { status: pair === null ? 'bonding' : 'migrated' },
        })
        const { percent, raisedWeth, targetWeth } = token.graduation
        if (targetWeth !== null && pair === null) {
          expect([targetWeth, raisedWeth]).toEqual([formatUnits(targetQuote ?? 0n, 18), formatUnits(real.quote, 18)])
          expect(percent).toBeCloseTo((100 * Number(real.quote)) / Number(targetQuote), 3)
        }
        compared++
      }
    }
    expect(compared).toBeGreaterThan(ACTIONS / 2)
    expect(graduated).toBeGreaterThan(0)
  })

  it('has each trade with the price and the reserves that it leaves', async () => {
    expect(new Set(trades.map(({ token }) => token))).toEqual(new Set(pad.tokens))
    for (const { block, token, phase, price, reserveToken, reserveQuote } of trades) {
      const { virtual, real, pair } = await pad.stateAt(token, BigInt(block))
      const [priced, reserves] = phase === 'curve' ? [virtual, real] : [pair ?? expect.unreachable(), pair ?? expect.unreachable()]
      const expected = quotePrice(priced.quote, priced.token, 18) ?? expect.unreachable()
      expect([block, formatDecimal(parseDecimal(price))]).toEqual([block, formatDecimal(expected)])
      // The transaction of the last trade on the curve also empties it.
      if (phase === 'curve' && pair !== null) continue
      expect([block, reserveToken, reserveQuote]).toEqual([block, String(reserves.token), String(reserves.quote)])
    }
  })

  it('has each trade with its maker, and what that account paid and received', async () => {
    for (const { block, token, side, maker, amountToken, amountQuote } of trades) {
      const { quoteToken } = await pad.stateAt(token, BigInt(block))
      const moved = async (currency: Address) => {
        const contract = padContract(chain, currency, ERC20)
        const [before = 0n, after = 0n] = await Promise.all(
          [BigInt(block) - 1n, BigInt(block)].map(at => contract.read<bigint>('balanceOf', [maker], at).catch(() => 0n)),
        )
        return after - before
      }
      const sign = side === 'buy' ? 1n : -1n
      expect([block, await moved(token), await moved(quoteToken)]).toEqual([block, sign * BigInt(amountToken), -sign * BigInt(amountQuote)])
    }
  })

  it('gives the same tables in ranges, with a restart between, as live through a reorg', async () => {
    await (await openChainIndex(chain, backfilled, null, pad.launchpads)).indexRange(1, 60)
    await (await openChainIndex(chain, backfilled, null, pad.launchpads)).indexRange(61)
    expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  })
})
