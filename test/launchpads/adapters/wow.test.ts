import { sql } from 'kysely'
import {
  type Abi,
  decodeFunctionData,
  encodeFunctionData,
  formatUnits,
  type Hex,
  parseAbi,
  parseEther,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { swapThroughRouter } from '#devchain/actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { Reads } from '#resources/reads.ts'
import type { Token } from '#resources/token.ts'
import { createReads } from '#store/reads/reads.ts'
import { toBytes } from '#tables/toBytes.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { foundBySurface } from '#test/support/foundBySurface.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

const CONTRACTS = compileSolidity(new URL('../contracts/Wow.sol', import.meta.url))
const FACTORY = parseAbi([
  'function deploy(address creator, address referrer, string uri, string name, string symbol, bool bare, uint256 firstBuy) payable returns (address)',
  'function graduateAndTrade(address token, uint256 rest) payable',
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])
const WOW = parseAbi([
  'function price() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
  'function burn(uint256)',
  'function buy(uint256 tokens, address recipient, address orderReferrer, string comment) payable',
  'function sell(uint256 tokens, address recipient)',
  'function buyFromPool(address recipient, address orderReferrer) payable',
  'function sellToPool(uint256 tokens, address recipient, uint160 limit)',
  'function claimSecondaryRewards()',
])
const REWARDS = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function deposit(address to, bytes4 reason, string comment) payable',
  'function depositRewards(address creator, address firstMinter) payable',
  'function withdraw(address to, uint256 amount)',
])
const POOL = parseAbi(['function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)'])
const DEAD = '0x000000000000000000000000000000000000dEaD'
const MILLION = 10n ** 24n
const HOSTILE = `\0${'\u202e😀'.repeat(2_000)}`

const batched = await useDatabase()
const oneByOne = await useDatabase()
let chain: TestChain
let factory: Address
let rewards: Address
let queries: Pick<Reads, 'token' | 'tokens' | 'trades' | 'holders' | 'claimable'>
let first: { token: Address; pool: Address }
let second: { token: Address; pool: Address }
let graduating: Hex

const account = (index: number) => chain.accounts[index] ?? expect.unreachable()
const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  chain.mined(chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas: 16_000_000n }))
const onToken = (from: Address, token: Address, call: Omit<Parameters<typeof encodeFunctionData<typeof WOW>>[0], 'abi'>, value = 0n) =>
  send(from, token, encodeFunctionData({ abi: WOW, ...call }), value)
const onRewards = (from: Address, call: Omit<Parameters<typeof encodeFunctionData<typeof REWARDS>>[0], 'abi'>, value = 0n) =>
  send(from, rewards, encodeFunctionData({ abi: REWARDS, ...call }), value)

async function create(
  name: string,
  bare: boolean,
  firstBuy: bigint,
  creator = account(1),
): Promise<{ token: Address; pool: Address; receipt: TransactionReceipt }> {
  const args = [creator, account(2), 'ipfs://wow', name, 'WOW', bare, firstBuy] as const
  const data = encodeFunctionData({ abi: FACTORY, functionName: 'deploy', args })
  const receipt = await send(creator, factory, data, firstBuy === 0n ? 0n : parseEther('1'))
  const [event] = parseEventLogs({ abi: FACTORY, logs: receipt.logs, eventName: 'WowTokenCreated' })
  if (event === undefined) return expect.unreachable()
  return { token: toAddress(event.args.tokenAddress), pool: toAddress(event.args.poolAddress), receipt }
}

const launchpads = () => [
  {
    name: 'wow',
    adapter: 'wow',
    startBlock: chain.deployment.startBlock,
    contracts: { factory, protocolRewards: rewards, uniswapFactory: chain.deployment.uniswapFactory },
  },
]

beforeAll(async () => {
  chain = await startTestChain()
  const { weth, positionManager, swapRouter } = chain.deployment
  rewards = await deployContract(chain, CONTRACTS.get('Rewards'), [])
  factory = await deployContract(chain, CONTRACTS.get('WowFactory'), [weth, positionManager, swapRouter, rewards, account(9)])

  // A stranger is paid by strangers before and after tokens exist.
  await onRewards(account(8), { functionName: 'deposit', args: [account(7), '0x00000000', 'not ours'] }, 5n)
  await onRewards(account(8), { functionName: 'deposit', args: [account(1), '0x00000000', 'before the creator is known'] }, 7n)
  first = await create(HOSTILE, false, 3n * MILLION)
  second = await create('Second', true, 0n)
  // Tokens of both orders beside WETH.
  let order = new Set([first.token < weth, second.token < weth])
  for (let count = 0; order.size < 2 && count < 8; count++) {
    second = await create('Second', true, 0n)
    order = new Set([first.token < weth, second.token < weth])
  }
  expect(order.size).toBe(2)
  await onRewards(account(8), { functionName: 'deposit', args: [account(7), '0x00000000', ''] }, 5n)
  await onRewards(account(8), { functionName: 'depositRewards', args: [account(1), account(7)] }, 1_001n)

  for (const { token } of [first, second]) {
    await onToken(account(3), token, { functionName: 'buy', args: [50n * MILLION, account(4), account(5), 'gm'] }, parseEther('2'))
    await onToken(account(4), token, { functionName: 'sell', args: [20n * MILLION, account(6)] })
    await onToken(account(4), token, { functionName: 'transfer', args: [DEAD, MILLION] })
    await onToken(account(3), token, { functionName: 'buy', args: [10n ** 12n, account(3), ZERO_ADDRESS, 'dust'] }, parseEther('1'))
  }
  await rush()
})

/** Four accounts buy a token in the block after its launch, and its creator supplies an account, which supplies another one. */
async function rush(): Promise<void> {
  const { token } = await create('Rushed', false, 3n * MILLION, account(5))
  const { timestamp } = await chain.client.getBlock()
  await chain.client.setNextBlockTimestamp({ timestamp: timestamp + 2n })
  const buy = (from: Address) => () =>
    onToken(from, token, { functionName: 'buy', args: [MILLION, from, ZERO_ADDRESS, ''] }, parseEther('1'))
  await chain.together([0, 3, 4, 6].map(account).map(buy))
  await onToken(account(5), token, { functionName: 'transfer', args: [account(2), 2_000n] })
  await onToken(account(2), token, { functionName: 'transfer', args: [account(9), 1_000n] })
}
afterAll(() => chain?.stop())

/** Indexes everything up to now, and answers from it. */
async function index(): Promise<void> {
  await batched.clear()
  const writer = await openChainIndex(chain, batched, null, launchpads())
  await writer.indexRange(chain.deployment.startBlock)
  const adapter = createAdapters({ weth: chain.deployment.weth, launchpads: launchpads() })[0] ?? expect.unreachable()
  queries = createReads({
    db: batched.kysely,
    chainId: 31337,
    weth: chain.deployment.weth,
    claimCall: ({ launchpad: _, ...target }) => adapter.claimCall(target),
  })
}

const WOW_READS: Abi = WOW
const read = <T>(token: Address, functionName: 'price' | 'totalSupply' | 'balanceOf', args: readonly Address[] = []) =>
  chain.client.readContract({ address: token, abi: WOW_READS, functionName, args }) as Promise<T>
const tokenOf = async (token: Address): Promise<Token> => (await queries.token({ address: token })) ?? expect.unreachable()
const tradesOf = async (token: Address) =>
  (await queries.trades({ address: token, limit: 500, order: 'asc' }))?.data ?? expect.unreachable()

/** Every balance, the supply and the escrow, against the chain. */
async function expectChainState(token: Address): Promise<void> {
  const { rows } = await sql<{ holder: Address; balance: string }>`
    select holder, balance from balance where token = ${Buffer.from(token.slice(2), 'hex')}`.execute(batched.kysely)
  expect(rows.length).toBeGreaterThan(2)
  for (const { holder, balance } of rows) {
    const address = holder
    expect([address, BigInt(balance)]).toEqual([address, await read<bigint>(token, 'balanceOf', [address])])
  }
  expect(BigInt((await tokenOf(token)).totalSupply)).toBe(await read<bigint>(token, 'totalSupply'))
}

const escrowOf = (address: Address) =>
  chain.client.readContract({ address: rewards, abi: REWARDS, functionName: 'balanceOf', args: [address] })

describe('on the curve', () => {
  beforeAll(index)

  test('a token has the price, the money and the supply that its contract has, in both variants of its events', async () => {
    for (const { token } of [first, second]) {
      const { market, graduation, pool } = await tokenOf(token)
      const price = Number(formatUnits(await read<bigint>(token, 'price'), 36))
      // Dust of a million millionths bought last: without the supply in the event its price is as coarse as its cost.
      expect(Number(market.priceWeth) / price).toBeCloseTo(1, token === first.token ? 15 : 2)
      const balance = await chain.client.getBalance({ address: token })
      expect(graduation).toMatchObject({ status: 'bonding', raisedWeth: formatUnits(balance, 18), poolAddress: null })
      expect(Number(graduation.targetWeth)).toBeCloseTo(7.809, 2)
      const supply = await read<bigint>(token, 'totalSupply')
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
    const [trade] = await tradesOf(first.token)
    expect(trade).toMatchObject({
      side: 'buy',
      phase: 'curve',
      maker: account(1),
      amountToken: (3n * MILLION).toString(),
      pool: first.token,
    })
    const token = await tokenOf(first.token)
    expect(token.name).not.toContain('\0')
    expect([...(token.name ?? '')].length).toBe(512)
    expect(token).toMatchObject({ creator: account(1), launchpad: 'wow', metadataUri: 'ipfs://wow', symbol: 'WOW' })
  })

  test('trades have what was paid and received, whatever was sent along and came back', async () => {
    for (const { token } of [first, second]) {
      const [buy, sell] = (await tradesOf(token)).slice(token === first.token ? 1 : 0)
      if (buy === undefined || sell === undefined) return expect.unreachable()
      expect([buy.side, buy.maker, sell.side, sell.maker]).toEqual(['buy', account(4), 'sell', account(4)])
      expect(Number(buy.feeWeth) / Number(buy.amountWeth)).toBeCloseTo(1 / 101, 8)
      expect(Number(sell.feeWeth) / Number(sell.amountWeth)).toBeCloseTo(1 / 99, 8)
      expect(Number(buy.amountWeth)).toBeLessThan(0.1)
    }
  })

  test('the escrow of a creator is one for all tokens and the balance of the contract', async () => {
    for (const { token } of [first, second]) {
      const claimable = (await queries.claimable({ address: token, creator: account(1) }))?.claimable ?? []
      // The seven wei from before the creator was known are not known of.
      const amount = ((await escrowOf(account(1))) - 7n).toString()
      expect(claimable).toMatchObject([{ currency: ZERO_ADDRESS, symbol: 'ETH', scope: 'creator', amount, claimed: '0' }])
      const call = claimable[0]?.claim ?? expect.unreachable()
      expect(toAddress(call.to)).toBe(rewards)
      expect(decodeFunctionData({ abi: REWARDS, data: call.data }).args?.[1]).toBe(BigInt(amount))
    }
    const fees = (await tokenOf(second.token)).fees
    expect(fees).toMatchObject({ creatorFeeBps: 50, claimedWeth: null, claimableWeth: null })
    const paid = (await tradesOf(second.token)).reduce((sum, { feeWeth }) => sum + parseEther(feeWeth ?? ''), 0n)
    expect(Number(fees.accruedWeth) / Number(formatUnits(paid, 18))).toBeCloseTo(0.5, 9)
  })

  test('tokens are found by the front end that is their platform referrer', async () => {
    const found = await foundBySurface(queries, account(2).toUpperCase().replace('X', 'x'))
    expect(found).toEqual(expect.arrayContaining([first.token, second.token]))
    expect((await tokenOf(first.token)).surface).toBe(account(2))
  })

  test('early wallets are those that a count over the logs gives', async () => {
    const { wow } = await expectEarlyAsCounted(batched.kysely, await countedChain(chain))
    expect(wow).toMatchObject({ bundler: 4, insider: 2 })
  })

  test('deposits among strangers leave no rows', async () => {
    const { rows } = await sql<{ creator: Address }>`select creator from creator_fee`.execute(batched.kysely)
    const known = rows.map(({ creator }) => creator).sort()
    // The creator, the referrers and the protocol: whom the tokens themselves have paid.
    expect(known).toEqual([1, 2, 5, 9].map(account).sort())
  })
})

describe('after graduation', () => {
  beforeAll(async () => {
    const rest = async (token: Address) => 800n * MILLION - (await read<bigint>(token, 'totalSupply'))
    await onToken(
      account(3),
      first.token,
      { functionName: 'buy', args: [await rest(first.token), account(3), ZERO_ADDRESS, 'last'] },
      parseEther('100'),
    )
    const data = encodeFunctionData({ abi: FACTORY, functionName: 'graduateAndTrade', args: [second.token, await rest(second.token)] })
    graduating = (await send(account(4), factory, data, parseEther('100'))).transactionHash
    for (const { token } of [first, second]) {
      await onToken(account(5), token, { functionName: 'buyFromPool', args: [account(6), ZERO_ADDRESS] }, parseEther('1'))
      await onToken(account(6), token, { functionName: 'sellToPool', args: [MILLION, account(7), 0n] })
      await swapThroughRouter(chain, {
        from: account(8),
        token,
        side: 'buy',
        amountIn: parseEther('0.5'),
        fee: token === second.token ? 500 : 10_000,
      })
      await chain.mine()
      await onToken(account(6), token, { functionName: 'burn', args: [MILLION] })
    }
    // A limit that is reached: a part of the tokens stays with the contract.
    const pool = first.token < chain.deployment.weth ? -1n : 1n
    const [sqrtPrice] = await chain.client.readContract({ address: first.pool, abi: POOL, functionName: 'slot0' })
    const limit = sqrtPrice + (pool * sqrtPrice) / 1_000_000n
    await onToken(account(6), first.token, { functionName: 'sellToPool', args: [MILLION, account(6), limit] })
    // Swaps past the token leave fees in its position until they are claimed.
    await onToken(account(8), second.token, { functionName: 'claimSecondaryRewards', args: [] })
    await onRewards(account(1), { functionName: 'withdraw', args: [account(4), 10_000n] })
    await onRewards(account(7), { functionName: 'withdraw', args: [account(7), 3n] })
    await index()
  })

  test('the buy that graduates leaves the curve empty, and no trade shares its log with a join or exit', async () => {
    for (const { token } of [first, second]) {
      const { rows } = await sql`select reserve_token::text as token, reserve_quote::text as quote from trade
        where pool = ${toBytes(token)} order by block_number desc, log_index desc limit 1`.execute(batched.kysely)
      expect(rows).toEqual([{ token: '0', quote: '0' }])
    }
    const { rows } = await sql`select from trade join join_exit using (block_number, log_index)`.execute(batched.kysely)
    expect(rows).toEqual([])
  })

  test('the buy that graduates is the last trade of the curve, and takes effect before the graduation', async () => {
    const trades = await tradesOf(first.token)
    const last = trades.findLast(({ phase }) => phase === 'curve')
    expect(last).toMatchObject({ side: 'buy', maker: account(3), pool: first.token })
    expect(trades.filter(({ phase }) => phase === 'curve')).toHaveLength(5)
    const { graduation, market } = await tokenOf(first.token)
    expect(graduation).toMatchObject({ status: 'migrated', percent: 100, poolAddress: first.pool, txHash: last?.txHash })
    expect(Number(graduation.raisedWeth)).toBeCloseTo(7.809, 2)
    expect(Number(market.athPriceWeth)).toBeGreaterThan(3.5e-8)
  })

  test('trades of the curve and the pool in the graduation transaction keep their order and phase', async () => {
    const inTransaction = (await tradesOf(second.token)).filter(({ txHash }) => txHash === graduating)
    expect(inTransaction.map(({ phase, side, maker }) => [phase, side, maker])).toEqual([
      ['curve', 'buy', account(4)],
      ['curve', 'buy', account(4)],
      ['pool', 'buy', account(4)],
    ])
  })

  test('a trade through the token is counted once, as the swap, with its maker', async () => {
    const pooled = (await tradesOf(first.token)).filter(({ phase }) => phase === 'pool')
    expect(pooled.map(({ side, maker, pool }) => [side, maker, pool])).toEqual([
      ['buy', account(6), first.pool],
      ['sell', account(6), first.pool],
      ['buy', account(8), first.pool],
      ['sell', account(6), first.pool],
    ])
    expect(pooled[0]?.amountWeth).toBe('0.99')
    expect((await tokenOf(first.token)).market.tradeCount).toBe(9)
    expect((await tokenOf(second.token)).market.tradeCount).toBe(9)
  })

  test('the pool in either token order has the price and amounts that the chain has', async () => {
    for (const { token, pool } of [first, second]) {
      const [sqrtPriceX96, tick] = await chain.client.readContract({ address: pool, abi: POOL, functionName: 'slot0' })
      const { weth } = chain.deployment
      const quote = await chain.client.readContract({ address: weth, abi: WOW, functionName: 'balanceOf', args: [pool] })
      const state = await tokenOf(token)
      expect(state.pool).toMatchObject({
        address: pool,
        type: 'uniswap-v3',
        tick,
        sqrtPriceX96: sqrtPriceX96.toString(),
        reserveQuote: quote.toString(),
        reserveToken: (await read<bigint>(token, 'balanceOf', [pool])).toString(),
      })
      const ratio = (Number(sqrtPriceX96) / 2 ** 96) ** 2
      expect(Number(state.market.priceWeth) / (token < weth ? ratio : 1 / ratio)).toBeCloseTo(1, 9)
      await expectChainState(token)
    }
  })

  test('a pool has the fee that it was made with', async () => {
    for (const { token } of [first, second]) {
      const feeBps = token === second.token ? 5 : 100
      expect((await tokenOf(token)).pool).toMatchObject({ type: 'uniswap-v3', feeBps })
      for (const { side, amountWeth, feeWeth } of (await tradesOf(token)).filter(({ phase }) => phase === 'pool')) {
        const share = feeBps / 10_000
        expect(Number(feeWeth) / Number(amountWeth)).toBeCloseTo(side === 'buy' ? share : share / (1 - share), 9)
      }
    }
  })

  test('what the creator accrued holds what others claimed from the position', async () => {
    const accrued = await Promise.all([first, second].map(async ({ token }) => parseEther((await tokenOf(token)).fees.accruedWeth ?? '')))
    // Both tokens' rewards, and the half of the deposit of another product, are in one account.
    const ofOther = 500n
    expect(accrued.reduce((sum, one) => sum + one, 0n) + ofOther + 7n - 10_000n).toBe(await escrowOf(account(1)))
  })

  test('the escrow follows withdrawals and secondary rewards', async () => {
    const amount = ((await escrowOf(account(1))) - 7n).toString()
    expect((await queries.claimable({ address: second.token, creator: account(1) }))?.claimable).toMatchObject([
      { amount, claimed: '10000' },
    ])
    expect((await queries.claimable({ address: second.token, creator: account(7) }))?.claimable).toEqual([])
  })

  test('block by block gives the same rows as all at once, also with a restart in between', async () => {
    const { startBlock } = chain.deployment
    await (await openChainIndex(chain, oneByOne, null, launchpads())).indexRange(startBlock, startBlock + 8)
    await (await openChainIndex(chain, oneByOne, null, launchpads())).indexEach(startBlock + 9)
    expect(await dumpTables(oneByOne.kysely)).toEqual(await dumpTables(batched.kysely))
  })
})
