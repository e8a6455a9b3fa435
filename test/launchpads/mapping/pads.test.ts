import { sql } from 'kysely'
import { formatUnits, parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { formatDecimal, parseDecimal } from '#domain/decimal.ts'
import type { TradeSide } from '#domain/trade.ts'
import { quotePrice } from '#launchpads/pools/poolTrade.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { openFourMeme } from '#test/support/pads/fourMeme.ts'
import { openNadFun } from '#test/support/pads/nadFun.ts'
import { changeOf, ERC20, type Pad, padContract } from '#test/support/pads/pad.ts'
import { startSync } from '#test/support/startSync.ts'

// Launchpads whose events name less than others: each is indexed by its published mapping, and compared with its contracts.

const PADS = [
  ['nad.fun', openNadFun],
  ['four.meme', openFourMeme],
] as const

const text = (amount: bigint | null) => (amount === null ? null : String(amount))

const ACTIONS = 40
const REORG_DEPTH = 9

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
    await live.stop()
    committed = live.blocks
    const { rows } = await sql<TradeLine>`
      select block_number::text as block, token, phase, side, maker, amount_token::text as "amountToken",
        coalesce(amount_quote, amount_wei)::text as "amountQuote", coalesce(pool_price, price_after_weth)::text as price,
        reserve_token::text as "reserveToken", reserve_quote::text as "reserveQuote"
      from trade order by block_number, log_index`.execute(followed.kysely)
    trades = rows
  })

  it('shows in every block what its contracts say', async () => {
    let compared = 0
    let graduated = 0
    for (const { number, hash, tokens } of committed) {
      const block = BigInt(number)
      if ((await chain.client.getBlock({ blockNumber: block })).hash !== hash) continue
      for (const { token } of tokens) {
        const { creator, name, symbol, quoteToken, held, pair, target, status } = await pad.stateAt(token.address, block)
        const reserves = pair ?? held
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
            reserveToken: isTraded ? text(reserves.token) : expect.toSatisfy(told => told === null || told === text(reserves.token)),
          },
          graduation: { status },
        })
        const { percent, raisedWeth, targetWeth } = token.graduation
        if (targetWeth !== null && pair === null) {
          expect([targetWeth, raisedWeth]).toEqual([formatUnits(target ?? 0n, 18), formatUnits(held.quote, 18)])
          expect(percent).toBeCloseTo((100 * Number(held.quote)) / Number(target), 3)
        }
        compared++
      }
    }
    // Each launch, and each action that no reorg drops.
    expect(compared).toBeGreaterThanOrEqual(pad.tokens.length + ACTIONS - REORG_DEPTH)
    expect(graduated).toBeGreaterThan(0)
  })

  it('has each trade with the price and the reserves that it leaves', async () => {
    expect(new Set(trades.map(({ token }) => token))).toEqual(new Set(pad.tokens))
    for (const [index, { block, token, phase, price, reserveToken, reserveQuote }] of trades.entries()) {
      // The contracts tell what the last one of a block leaves.
      if (trades[index + 1]?.block === block) continue
      const state = await pad.stateAt(token, BigInt(block))
      const { pair } = state
      const reserves = phase === 'curve' ? state.held : (pair ?? expect.unreachable())
      const expected = phase === 'curve' ? state.price : quotePrice(reserves.quote, reserves.token ?? 0n, 18)
      expect([block, formatDecimal(parseDecimal(price))]).toEqual([block, formatDecimal(expected ?? expect.unreachable())])
      // The transaction of the last trade on the curve also empties it.
      if (phase === 'curve' && pair !== null) continue
      expect([block, reserveToken, reserveQuote]).toEqual([block, text(reserves.token), text(reserves.quote)])
    }
  })

  it('has each trade with its maker, and what that account paid and received', async () => {
    for (const { block, token, side, maker, amountToken, amountQuote } of trades) {
      const { quoteToken } = await pad.stateAt(token, BigInt(block))
      const moved = (currency: Address) => changeOf(chain, maker, currency, BigInt(block))
      const sign = side === 'buy' ? 1n : -1n
      expect([block, await moved(token), await moved(quoteToken)]).toEqual([block, sign * BigInt(amountToken), -sign * BigInt(amountQuote)])
    }
  })

  it('has the early wallets that a count over its logs gives', async () => {
    const counts = await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
    const [of = expect.unreachable()] = Object.values(counts)
    expect(Math.min(...Object.values(of))).toBeGreaterThan(0)
  })

  it('gives the same tables in ranges, with a restart between, as live through a reorg', async () => {
    const middle = (await chain.head()) - ACTIONS / 2
    await (await openChainIndex(chain, backfilled, null, pad.launchpads)).indexRange(1, middle)
    await (await openChainIndex(chain, backfilled, null, pad.launchpads)).indexRange(middle + 1)
    expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  })
})

interface TradeLine {
  readonly block: string
  readonly token: Address
  readonly phase: 'curve' | 'pool'
  readonly side: TradeSide
  readonly maker: Address
  readonly amountToken: string
  readonly amountQuote: string
  readonly price: string
  readonly reserveToken: string | null
  readonly reserveQuote: string
}

/**
 * Trades of three tokens, the first of which graduates, with a reorg of indexed blocks in between.
 *
 * @param indexed waits for the head after each action: blocks that are indexed in ranges are not emitted
 */
async function play(chain: TestChain, pad: Pad, indexed: () => Promise<unknown>): Promise<void> {
  const random = createRandom(27)
  const trader = () => random.pick(chain.accounts.slice(1, 5))
  const traded = async (token: Address) => {
    const from = trader()
    const held = await padContract(chain, token, ERC20).read<bigint>('balanceOf', [from])
    if (held > 0n && random.chance(0.4)) await pad.trade(from, token, 'sell', held / BigInt(random.integer(2, 6)))
    else await pad.trade(from, token, 'buy', BigInt(Math.floor(random.spread(1e15, 1e17))))
    await indexed()
  }
  for (const firstBuy of ['0.2', '0', '0.05']) {
    await pad.launch(trader(), parseEther(firstBuy))
    await indexed()
  }
  for (let count = 0; count < ACTIONS; count++) {
    if (count === ACTIONS / 2) await chain.reorg(REORG_DEPTH)
    await traded(pad.tokens[count % 3] ?? expect.unreachable())
  }
  const [first = expect.unreachable()] = pad.tokens
  await pad.trade(trader(), first, 'buy', parseEther('60'))
  await indexed()
  await pad.finish?.(first)
  await traded(pad.tokens[1] ?? expect.unreachable())
  await rush(chain, pad, indexed)
}

/** Five accounts buy a token in the block after its launch, and its creator supplies an account, which supplies another one. */
async function rush(chain: TestChain, pad: Pad, indexed: () => Promise<unknown>): Promise<void> {
  const [, creator, supplied, next, ...crowd] = chain.accounts as [Address, Address, Address, Address, ...Address[]]
  await pad.launch(creator, parseEther('0.02'))
  await indexed()
  const token = pad.tokens.at(-1) ?? expect.unreachable()
  const { timestamp } = await chain.client.getBlock()
  await chain.client.setNextBlockTimestamp({ timestamp: timestamp + 2n })
  await chain.together(crowd.slice(0, 5).map(from => () => pad.trade(from, token, 'buy', 10n ** 15n)))
  await indexed()
  for (const [from, to] of [
    [creator, supplied],
    [supplied, next],
  ] as const) {
    await padContract(chain, token, ERC20).send(from, 'transfer', [to, 1_000n])
    await indexed()
  }
}
