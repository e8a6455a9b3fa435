import { formatUnits, parseAbi, parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { type ChainReads, chainReads, expectHolders } from '#test/support/chainReads.ts'
import { contractAt } from '#test/support/contractAt.ts'
import { useDatabase } from '#test/support/database.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { changeOf, ERC20, padContract } from '#test/support/pads/pad.ts'
import { openBags, openNoxa, openPons, openPoolsTrade, type PoolPad } from '#test/support/pads/poolPads.ts'
import { startSync } from '#test/support/startSync.ts'
import { readV4Pool } from '#test/support/uniswapV4.ts'

// Launchpads that launch into a pool or graduate to Uniswap v4: each is indexed by its published mapping, and compared with its contracts.

const PADS = [
  ['pools.trade', openPoolsTrade],
  ['noxa', openNoxa],
  ['bags', openBags],
  ['pons', openPons],
] as const

const ACTIONS = 24
const REORG_DEPTH = 5

describe.each(PADS)('%s', async (name, open) => {
  const followed = await useDatabase()
  const backfilled = await useDatabase()
  let chain: TestChain
  let pad: PoolPad
  let reads: ChainReads

  beforeAll(async () => {
    chain = await startTestChain()
    pad = await open(chain)
    const live = await startSync(chain, followed, { urls: [chain.anvil.url], launchpads: pad.launchpads, maxReorgDepth: 128 })
    await play(chain, pad, async () => live.reached((await chain.client.getBlock()).hash))
    await live.stop()
    reads = chainReads(chain, followed, pad.launchpads)
  })

  it('has each token with the pool and the price that its contracts tell', async () => {
    expect(pad.tokens).toHaveLength(3)
    for (const [index, address] of pad.tokens.entries()) {
      const { pool, market, graduation, launchpad } = await reads.tokenOf(address)
      const hasPool = pad.graduate === undefined || index === 0
      expect([launchpad, graduation.status]).toEqual([name, pad.graduate === undefined ? 'none' : hasPool ? 'migrated' : 'bonding'])
      if (!hasPool) continue
      const { sqrt, tick, liquidity, quoteIsFirst } = await stateOf(chain, pad, address)
      const price = priceFromSqrt(sqrt, { tokenIsToken0: !quoteIsFirst }, 18)
      expect(pool).toMatchObject({
        address: await pad.poolOf(address),
        type: pad.poolManager === null ? 'uniswap-v3' : 'uniswap-v4',
        quoteToken: chain.deployment.weth,
        sqrtPriceX96: String(sqrt),
        tick,
        liquidity: String(liquidity),
      })
      expect(market.priceWeth).toBe(price === null ? null : formatDecimal(price))
      expect(Number(market.liquidityWeth)).toBeGreaterThan(0)
    }
  })

  it('has each trade with its maker, and what that account paid and received', async () => {
    let compared = 0
    for (const token of pad.tokens) {
      for (const { side, maker, amountToken, amountWeth, blockNumber } of await reads.tradesOf(token)) {
        const moved = (currency: Address) => changeOf(chain, maker, currency, BigInt(blockNumber))
        const sign = side === 'buy' ? 1n : -1n
        const paid = formatUnits(-sign * (await moved(chain.deployment.weth)), 18)
        expect([blockNumber, await moved(token), paid]).toEqual([blockNumber, sign * BigInt(amountToken), amountWeth])
        compared++
      }
    }
    expect(compared).toBeGreaterThan(ACTIONS - REORG_DEPTH)
  })

  it('has the holders that its contracts tell', async () => {
    for (const token of pad.tokens) expect((await expectHolders(chain, reads, token)).size).toBeGreaterThan(1)
  })

  it('has the early wallets that a count over its logs gives', async () => {
    await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
  })

  it('gives the same tables in ranges, with a restart between, as live through a reorg', async () => {
    const middle = (await chain.head()) - ACTIONS / 2
    await (await openChainIndex(chain, backfilled, null, pad.launchpads)).indexRange(1, middle)
    await (await openChainIndex(chain, backfilled, null, pad.launchpads)).indexRange(middle + 1)
    expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  })
})

const POOL = parseAbi([
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function liquidity() view returns (uint128)',
  'function token0() view returns (address)',
])

async function stateOf(chain: TestChain, pad: PoolPad, token: Address) {
  const pool = await pad.poolOf(token)
  if (pad.poolManager !== null) return { ...(await readV4Pool(chain, pad.poolManager, pool)), quoteIsFirst: true }
  const contract = contractAt(chain, toAddress(pool), POOL)
  const [sqrt, tick] = await contract.read('slot0')
  return { sqrt, tick, liquidity: await contract.read('liquidity'), quoteIsFirst: toAddress(await contract.read('token0')) !== token }
}

/**
 * Trades of three tokens, pools of strangers beside theirs, and a reorg of indexed blocks; the first token graduates where they do.
 *
 * @param indexed waits for the head after each action: blocks that are indexed in ranges are not emitted
 */
async function play(chain: TestChain, pad: PoolPad, indexed: () => Promise<unknown>): Promise<void> {
  const random = createRandom(43)
  const traded = async (token: Address) => {
    const from = random.pick(chain.accounts.slice(1, 5))
    const held = await padContract(chain, token, ERC20).read<bigint>('balanceOf', [from])
    if (held > 0n && random.chance(0.4)) await pad.trade(from, token, 'sell', held / BigInt(random.integer(2, 6)))
    else await pad.trade(from, token, 'buy', BigInt(Math.floor(random.spread(1e15, 1e17))))
    await indexed()
  }
  for (const firstBuy of ['0.02', '0', '0.05']) {
    await pad.launch(random.pick(chain.accounts.slice(1, 5)), parseEther(firstBuy))
    await indexed()
  }
  const [first = expect.unreachable()] = pad.tokens
  for (let count = 0; count < ACTIONS; count++) {
    if (count === ACTIONS / 3) await chain.reorg(REORG_DEPTH)
    if (count === ACTIONS / 2) {
      await pad.stranger(first)
      await pad.graduate?.(first)
      await indexed()
    }
    await traded(pad.tokens[count % 3] ?? expect.unreachable())
  }
}
