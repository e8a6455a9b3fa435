import { sql } from 'kysely'
import { decodeFunctionData, formatUnits, type Hex, parseAbi, parseEther } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { swapThroughRouter } from '#devchain/actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { toBytes } from '#tables/columns.ts'
import { startTestChain } from '#test/support/chain.ts'
import { balanceOf, type ChainReads, chainReads, expectBalances } from '#test/support/chainReads.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { contractAt, eventIn } from '#test/support/contractAt.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { foundBySurface } from '#test/support/foundBySurface.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

const CONTRACTS = compileSolidity(new URL('../contracts/Wow.sol', import.meta.url))
const ABI = parseAbi([
  'function deploy(address creator, address referrer, string uri, string name, string symbol, bool bare, uint256 firstBuy) payable returns (address)',
  'function graduateAndTrade(address token, uint256 rest) payable',
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
  'function price() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
  'function burn(uint256)',
  'function buy(uint256 tokens, address recipient, address orderReferrer, string comment) payable',
  'function sell(uint256 tokens, address recipient)',
  'function buyFromPool(address recipient, address orderReferrer) payable',
  'function sellToPool(uint256 tokens, address recipient, uint160 limit)',
  'function claimSecondaryRewards()',
  'function deposit(address to, bytes4 reason, string comment) payable',
  'function depositRewards(address creator, address firstMinter) payable',
  'function withdraw(address to, uint256 amount)',
])
const MILLION = 10n ** 24n

const batched = await useDatabase()
const oneByOne = await useDatabase()
let reads: ChainReads
let tokens: readonly [first: Wow, second: Wow]
let graduating: Hex

const chain = await startTestChain()
const { weth, positionManager, swapRouter, uniswapFactory, startBlock } = chain.deployment
const rewards = await deployContract(chain, CONTRACTS.get('Rewards'), [])
const factory = await deployContract(chain, CONTRACTS.get('WowFactory'), [weth, positionManager, swapRouter, rewards, chain.account(9)])
const launchpads = [{ name: 'wow', adapter: 'wow', startBlock, contracts: { factory, protocolRewards: rewards, uniswapFactory } }]
await play()

describe('on the curve', () => {
  beforeAll(index)

  test('a token has the price, the money and the supply that its contract has, in both variants of its events', async () => {
    const [first] = tokens
    for (const { token } of tokens) {
      const { market, graduation, pool } = await reads.tokenOf(token)
      const price = Number(formatUnits(await at(token).read('price'), 36))
      // Dust of a million millionths bought last: without the supply in the event its price is as coarse as its cost.
      expect(Number(market.priceWeth) / price).toBeCloseTo(1, token === first.token ? 15 : 2)
      const balance = await chain.client.getBalance({ address: token })
      expect(graduation).toMatchObject({ status: 'bonding', raisedWeth: formatUnits(balance, 18), poolAddress: null })
      expect(Number(graduation.targetWeth)).toBeCloseTo(7.809, 2)
      const supply = await at(token).read('totalSupply')
      expect(graduation.percent).toBe(Number((supply * 1_000_000n) / (800n * MILLION)) / 10_000)
      expect(pool).toMatchObject({
        address: token,
        type: 'curve',
        reserveToken: (800n * MILLION - supply).toString(),
        reserveQuote: balance.toString(),
      })
      await expectChainState(token)
    }
  })

  test('the first buy in the creation transaction counts, and a hostile name is kept harmless', async () => {
    const [first] = tokens
    const [trade] = await reads.tradesOf(first.token)
    expect(trade).toMatchObject({
      side: 'buy',
      phase: 'curve',
      maker: chain.account(1),
      amountToken: (3n * MILLION).toString(),
      pool: first.token,
    })
    const token = await reads.tokenOf(first.token)
    expect(token.name).not.toContain('\0')
    expect([...(token.name ?? '')].length).toBe(512)
    expect(token).toMatchObject({ creator: chain.account(1), launchpad: 'wow', metadataUri: 'ipfs://wow', symbol: 'WOW' })
  })

  test('trades have what was paid and received, whatever was sent along and came back', async () => {
    const [first] = tokens
    for (const { token } of tokens) {
      const [buy, sell] = (await reads.tradesOf(token)).slice(token === first.token ? 1 : 0)
      if (buy === undefined || sell === undefined) return expect.unreachable()
      expect([buy.side, buy.maker, sell.side, sell.maker]).toEqual(['buy', chain.account(4), 'sell', chain.account(4)])
      expect(Number(buy.feeWeth) / Number(buy.amountWeth)).toBeCloseTo(1 / 101, 8)
      expect(Number(sell.feeWeth) / Number(sell.amountWeth)).toBeCloseTo(1 / 99, 8)
      expect(Number(buy.amountWeth)).toBeLessThan(0.1)
    }
  })

  test('the escrow of a creator is one for all tokens and the balance of the contract', async () => {
    const [, second] = tokens
    for (const { token } of tokens) {
      const claimable = await reads.claimableOf(token, chain.account(1))
      // The seven wei from before the creator was known are not known of.
      const amount = ((await escrowOf(chain.account(1))) - 7n).toString()
      expect(claimable).toMatchObject([{ currency: ZERO_ADDRESS, symbol: 'ETH', scope: 'creator', amount, claimed: '0' }])
      const call = claimable[0]?.claim ?? expect.unreachable()
      expect(toAddress(call.to)).toBe(rewards)
      expect(decodeFunctionData({ abi: ABI, data: call.data }).args?.[1]).toBe(BigInt(amount))
    }
    const fees = (await reads.tokenOf(second.token)).fees
    expect(fees).toMatchObject({ creatorFeeBps: 50, claimedWeth: null, claimableWeth: null })
    const paid = (await reads.tradesOf(second.token)).reduce((sum, { feeWeth }) => sum + parseEther(feeWeth ?? ''), 0n)
    expect(Number(fees.accruedWeth) / Number(formatUnits(paid, 18))).toBeCloseTo(0.5, 9)
  })

  test('tokens are found by the front end that is their platform referrer', async () => {
    const found = await foundBySurface(reads, chain.account(2).toUpperCase().replace('X', 'x'))
    expect(found).toEqual(expect.arrayContaining(tokens.map(({ token }) => token)))
    expect((await reads.tokenOf(tokens[0].token)).surface).toBe(chain.account(2))
  })

  test('early wallets are those that a count over the logs gives', async () => {
    const { wow } = await expectEarlyAsCounted(batched.kysely, await countedChain(chain))
    expect(wow).toMatchObject({ bundler: 4, insider: 2 })
  })

  test('deposits among strangers leave no rows', async () => {
    const { rows } = await sql<{ creator: Address }>`select creator from creator_fee`.execute(batched.kysely)
    const known = rows.map(({ creator }) => creator).sort()
    // The creator, the referrers and the protocol: whom the tokens themselves have paid.
    expect(known).toEqual([1, 2, 5, 9].map(chain.account).sort())
  })
})

describe('after graduation', () => {
  beforeAll(async () => {
    const [first, second] = tokens
    const rest = async (token: Address) => 800n * MILLION - (await at(token).read('totalSupply'))
    const { account } = chain
    await at(first.token).send(account(3), 'buy', [await rest(first.token), account(3), ZERO_ADDRESS, 'last'], parseEther('100'))
    const args = [second.token, await rest(second.token)] as const
    graduating = (await at(factory).send(account(4), 'graduateAndTrade', args, parseEther('100'))).transactionHash
    for (const { token } of tokens) {
      await at(token).send(account(5), 'buyFromPool', [account(6), ZERO_ADDRESS], parseEther('1'))
      await at(token).send(account(6), 'sellToPool', [MILLION, account(7), 0n])
      const fee = token === second.token ? 500 : 10_000
      await chain.mined(swapThroughRouter(chain, { from: account(8), token, side: 'buy', amountIn: parseEther('0.5'), fee }))
      await at(token).send(account(6), 'burn', [MILLION])
    }
    // A limit that is reached: a part of the tokens stays with the contract.
    const direction = first.token < chain.deployment.weth ? -1n : 1n
    const { sqrtPriceX96 } = await sqrtPriceOf(first.pool)
    const limit = sqrtPriceX96 + (direction * sqrtPriceX96) / 1_000_000n
    await at(first.token).send(account(6), 'sellToPool', [MILLION, account(6), limit])
    // Swaps past the token leave fees in its position until they are claimed.
    await at(second.token).send(account(8), 'claimSecondaryRewards', [])
    await at(rewards).send(account(1), 'withdraw', [account(4), 10_000n])
    await at(rewards).send(account(7), 'withdraw', [account(7), 3n])
    await index()
  })

  test('the buy that graduates leaves the curve empty, and no trade shares its log with a join or exit', async () => {
    for (const { token } of tokens) {
      const { rows } = await sql`select reserve_token::text as token, reserve_quote::text as quote from trade
        where pool = ${toBytes(token)} order by block_number desc, log_index desc limit 1`.execute(batched.kysely)
      expect(rows).toEqual([{ token: '0', quote: '0' }])
    }
    const { rows } = await sql`select from trade join join_exit using (block_number, log_index)`.execute(batched.kysely)
    expect(rows).toEqual([])
  })

  test('the buy that graduates is the last trade of the curve, and takes effect before the graduation', async () => {
    const [first] = tokens
    const trades = await reads.tradesOf(first.token)
    const last = trades.findLast(({ phase }) => phase === 'curve')
    expect(last).toMatchObject({ side: 'buy', maker: chain.account(3), pool: first.token })
    expect(trades.filter(({ phase }) => phase === 'curve')).toHaveLength(5)
    const { graduation, market } = await reads.tokenOf(first.token)
    expect(graduation).toMatchObject({ status: 'migrated', percent: 100, poolAddress: first.pool, txHash: last?.txHash })
    expect(Number(graduation.raisedWeth)).toBeCloseTo(7.809, 2)
    expect(Number(market.athPriceWeth)).toBeGreaterThan(3.5e-8)
  })

  test('trades of the curve and the pool in the graduation transaction keep their order and phase', async () => {
    const [, second] = tokens
    const inTransaction = (await reads.tradesOf(second.token)).filter(({ txHash }) => txHash === graduating)
    expect(inTransaction.map(({ phase, side, maker }) => [phase, side, maker])).toEqual([
      ['curve', 'buy', chain.account(4)],
      ['curve', 'buy', chain.account(4)],
      ['pool', 'buy', chain.account(4)],
    ])
  })

  test('a trade through the token is counted once, as the swap, with its maker', async () => {
    const [first, second] = tokens
    const pooled = (await reads.tradesOf(first.token)).filter(({ phase }) => phase === 'pool')
    expect(pooled.map(({ side, maker, pool }) => [side, maker, pool])).toEqual([
      ['buy', chain.account(6), first.pool],
      ['sell', chain.account(6), first.pool],
      ['buy', chain.account(8), first.pool],
      ['sell', chain.account(6), first.pool],
    ])
    expect(pooled[0]?.amountWeth).toBe('0.99')
    expect((await reads.tokenOf(first.token)).market.tradeCount).toBe(9)
    expect((await reads.tokenOf(second.token)).market.tradeCount).toBe(9)
  })

  test('the pool in either token order has the price and amounts that the chain has', async () => {
    for (const { token, pool } of tokens) {
      const { sqrtPriceX96, tick } = await sqrtPriceOf(pool)
      const { weth } = chain.deployment
      const state = await reads.tokenOf(token)
      expect(state.pool).toMatchObject({
        address: pool,
        type: 'uniswap-v3',
        tick,
        sqrtPriceX96: sqrtPriceX96.toString(),
        reserveQuote: String(await balanceOf(chain, weth, pool)),
        reserveToken: String(await balanceOf(chain, token, pool)),
      })
      const ratio = (Number(sqrtPriceX96) / 2 ** 96) ** 2
      expect(Number(state.market.priceWeth) / (token < weth ? ratio : 1 / ratio)).toBeCloseTo(1, 9)
      await expectChainState(token)
    }
  })

  test('a pool has the fee that it was made with', async () => {
    const [, second] = tokens
    for (const { token } of tokens) {
      const feeBps = token === second.token ? 5 : 100
      expect((await reads.tokenOf(token)).pool).toMatchObject({ type: 'uniswap-v3', feeBps })
      for (const { side, amountWeth, feeWeth } of (await reads.tradesOf(token)).filter(({ phase }) => phase === 'pool')) {
        const share = feeBps / 10_000
        expect(Number(feeWeth) / Number(amountWeth)).toBeCloseTo(side === 'buy' ? share : share / (1 - share), 9)
      }
    }
  })

  test('what the creator accrued holds what others claimed from the position', async () => {
    const accrued = await Promise.all(tokens.map(async ({ token }) => parseEther((await reads.tokenOf(token)).fees.accruedWeth ?? '')))
    // Both tokens' rewards, and the half of the deposit of another product, are in one account.
    const ofOther = 500n
    expect(accrued.reduce((sum, one) => sum + one, 0n) + ofOther + 7n - 10_000n).toBe(await escrowOf(chain.account(1)))
  })

  test('the escrow follows withdrawals and secondary rewards', async () => {
    const [, second] = tokens
    const amount = ((await escrowOf(chain.account(1))) - 7n).toString()
    expect(await reads.claimableOf(second.token, chain.account(1))).toMatchObject([{ amount, claimed: '10000' }])
    expect(await reads.claimableOf(second.token, chain.account(7))).toEqual([])
  })

  test('block by block gives the same rows as all at once, also with a restart in between', async () => {
    const { startBlock } = chain.deployment
    await (await openChainIndex(chain, oneByOne, null, launchpads)).indexRange(startBlock, startBlock + 8)
    await (await openChainIndex(chain, oneByOne, null, launchpads)).indexEach(startBlock + 9)
    expect(await dumpTables(oneByOne.kysely)).toEqual(await dumpTables(batched.kysely))
  })
})

/** Deposits for strangers and for the creator, and trades on the curves of both tokens. */
async function play(): Promise<void> {
  const { account } = chain
  const escrow = at(rewards)
  // A stranger is paid by strangers before and after tokens exist.
  await escrow.send(account(8), 'deposit', [account(7), '0x00000000', 'not ours'], 5n)
  await escrow.send(account(8), 'deposit', [account(1), '0x00000000', 'before the creator is known'], 7n)
  tokens = await launchBothWays()
  await escrow.send(account(8), 'deposit', [account(7), '0x00000000', ''], 5n)
  await escrow.send(account(8), 'depositRewards', [account(1), account(7)], 1_001n)
  for (const { token } of tokens) {
    await at(token).send(account(3), 'buy', [50n * MILLION, account(4), account(5), 'gm'], parseEther('2'))
    await at(token).send(account(4), 'sell', [20n * MILLION, account(6)])
    await at(token).send(account(4), 'transfer', ['0x000000000000000000000000000000000000dEaD', MILLION])
    await at(token).send(account(3), 'buy', [10n ** 12n, account(3), ZERO_ADDRESS, 'dust'], parseEther('1'))
  }
  await rush()
}

/** Four accounts buy a token in the block after its launch, and its creator supplies an account, which supplies another one. */
async function rush(): Promise<void> {
  const { account } = chain
  const { token } = await create('Rushed', false, 3n * MILLION, account(5))
  const { timestamp } = await chain.client.getBlock()
  await chain.client.setNextBlockTimestamp({ timestamp: timestamp + 2n })
  const buy = (from: Address) => () => at(token).send(from, 'buy', [MILLION, from, ZERO_ADDRESS, ''], parseEther('1'))
  await chain.together([0, 3, 4, 6].map(account).map(buy))
  await at(token).send(account(5), 'transfer', [account(2), 2_000n])
  await at(token).send(account(2), 'transfer', [account(9), 1_000n])
}

interface Wow {
  readonly token: Address
  readonly pool: Address
}

async function create(name: string, isBare: boolean, firstBuy: bigint, creator = chain.account(1)): Promise<Wow> {
  const args = [creator, chain.account(2), 'ipfs://wow', name, 'WOW', isBare, firstBuy] as const
  const receipt = await at(factory).send(creator, 'deploy', args, firstBuy === 0n ? 0n : parseEther('1'))
  const { tokenAddress, poolAddress } = eventIn(receipt, ABI, 'WowTokenCreated')
  return { token: toAddress(tokenAddress), pool: toAddress(poolAddress) }
}

/** Two tokens of both orders beside WETH. */
async function launchBothWays(): Promise<typeof tokens> {
  const isLow = ({ token }: Wow) => token < chain.deployment.weth
  const hostile = `\0${'\u202e😀'.repeat(2_000)}`
  const first = await create(hostile, false, 3n * MILLION)
  for (let count = 0; count < 9; count++) {
    const second = await create('Second', true, 0n)
    if (isLow(second) !== isLow(first)) return [first, second]
  }
  return expect.unreachable('no token of the other order')
}

/** A token, the factory or the escrow. */
function at(address: Address) {
  return contractAt(chain, address, ABI)
}

/** Indexes everything up to now, and answers from it. */
async function index(): Promise<void> {
  await batched.clear()
  await (await openChainIndex(chain, batched, null, launchpads)).indexRange(chain.deployment.startBlock)
  reads = chainReads(chain, batched, launchpads)
}

async function expectChainState(token: Address): Promise<void> {
  await expectBalances(chain, batched, token)
  expect(BigInt((await reads.tokenOf(token)).totalSupply)).toBe(await at(token).read('totalSupply'))
}

function escrowOf(address: Address) {
  return balanceOf(chain, rewards, address)
}

async function sqrtPriceOf(pool: Address) {
  const [sqrtPriceX96, tick] = await contractAt(chain, pool, chain.deployment.abis.pool).read('slot0')
  return { sqrtPriceX96, tick }
}
