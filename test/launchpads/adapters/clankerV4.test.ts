import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex, numberToHex, parseAbi, parseEther, parseEventLogs } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transfer, wrap } from '#devchain/actions.ts'
import { poolIdOf, type V4PoolKey } from '#devchain/v4Actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { formatDecimal, formatUnits } from '#domain/decimal.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { createReads } from '#store/reads/reads.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { describedClanker, updateClanker } from '#test/support/clankerUpdates.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { foundBySurface } from '#test/support/foundBySurface.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { deployHook, deployPoolManager, readV4Pool } from '#test/support/uniswapV4.ts'

const abi = parseAbi([
  'struct Launch { string name; string symbol; bytes32 salt; address paired; uint160 sqrtPriceX96; int24 startingTick; uint256 paid; }',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct ModifyLiquidityParams { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }',
  'function deployToken(Launch launch)',
  'function initialize(PoolKey key, uint160 sqrtPriceX96)',
  'function buy(PoolKey key, address token, uint256 paid) payable',
  'function sell(PoolKey key, address token, uint256 amount)',
  'function modifyLiquidity(PoolKey key, ModifyLiquidityParams params)',
  'function donate(PoolKey key, uint256 amount0)',
  'function convert(PoolKey key, address token, uint256 amount)',
  'function storeFees(address owner, address token, uint256 amount)',
  'function claim(address owner, address token)',
  'function claimTo(address owner, address token, address recipient)',
  'function availableFees(address owner, address token) view returns (uint256)',
  'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
])
const TOKEN = parseAbi(['constructor(string name, string symbol, address holder)', 'function approve(address spender, uint256 value)'])
const HOSTILE = `\0\u202e${'y'.repeat(2_000)}`
/** The only permission of the fixture's hook. */
const BEFORE_SWAP = 1n << 7n
const START_TICK = 230_400
const DYNAMIC_FEE = 0x80_00_00
/** An extension that keeps tokens for others, and a module that is given some. */
const VAULT = toAddress(numberToHex(0xc0_0001, { size: 20 }))
const MEV_MODULE = toAddress(numberToHex(0xc0_0002, { size: 20 }))
const NO_SALT = numberToHex(0, { size: 32 })

const CONTRACTS = compileSolidity(new URL('../contracts/ClankerV4.sol', import.meta.url), { viaIR: true })

const followed = await useDatabase()
const backfilled = await useDatabase()
let chain: TestChain
let factory: Address
let feeLocker: Address
/** The locker of positions, which converts their fees. */
let converter: Address
let hook: Address
let poolManager: Address
let router: Address
let creator: Address
let alice: Address
let stranger: Address
let launchpads: Parameters<typeof openChainIndex>[3]
interface Made {
  readonly token: Address
  readonly paired: Address
  readonly key: V4PoolKey
  readonly id: Hex
  /** What the trades were by the balances that they moved, and what fee the hook set. */
  readonly trades: { readonly side: string; readonly maker: Address; readonly tokens: bigint; readonly wei: bigint; readonly fee: bigint }[]
}
const made: Made[] = []

const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas: 8_000_000n })
const from = (account: Address, to: Address, data: Hex, value = 0n) => chain.mined(send(account, to, data, value))
const approve = (account: Address, currency: Address, spender: Address, amount: bigint) =>
  from(account, currency, encodeFunctionData({ abi: TOKEN, functionName: 'approve', args: [spender, amount] }))
const pay = (account: Address, currency: Address, to: Address, amount: bigint) =>
  currency === ZERO_ADDRESS ? from(account, to, '0x', amount) : chain.mined(transfer(chain, { from: account, currency, to, amount }))

const readPool = (id: Hex) => readV4Pool(chain, poolManager, id)

async function deployToken(name: string, paired: Address, first: boolean): Promise<Made> {
  const bytecode = encodeDeployData({ abi: TOKEN, bytecode: CONTRACTS.get('ClankerToken')?.bytecode ?? '0x', args: [name, 'SYM', factory] })
  let salt = NO_SALT
  let token: Address
  for (let count = 0; ; count += 1) {
    salt = numberToHex(count, { size: 32 })
    token = toAddress(getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode }))
    if (token < paired === first) break
  }
  const startingTick = first ? -START_TICK : START_TICK
  // A little outside of the positions, which hold tokens alone.
  const sqrtPriceX96 = BigInt(Math.round(1.0001 ** (startingTick / 2) * (first ? 0.99999 : 1.00001) * 2 ** 96))
  const paid = parseEther('0.01')
  await pay(paired === ZERO_ADDRESS || paired === chain.deployment.weth ? alice : creator, paired, factory, paid)
  const launch = { name, symbol: 'SYM', salt, paired, sqrtPriceX96, startingTick, paid }
  const receipt = await from(creator, factory, encodeFunctionData({ abi, functionName: 'deployToken', args: [launch] }))
  const [event] = parseEventLogs({ abi, eventName: 'TokenCreated', logs: receipt.logs })
  expect([toAddress(event?.args.tokenAddress ?? ''), receipt.logs.at(-1)?.logIndex]).toEqual([token, event?.logIndex])
  const [currency0, currency1] = first ? [token, paired] : [paired, token]
  const key = { currency0, currency1, fee: DYNAMIC_FEE, tickSpacing: 200, hooks: hook }
  const id = poolIdOf(key)
  expect(event?.args.poolId).toBe(id)
  const one: Made = { token, paired, key, id, trades: [] }
  one.trades.push({ side: 'buy', maker: creator, tokens: await balanceOf(token, creator), wei: paid, fee: paid / 100n })
  made.push(one)
  return one
}

async function buy({ token, paired, key, trades }: Made, paid: bigint) {
  const before = await balanceOf(token, alice)
  if (paired !== ZERO_ADDRESS) await approve(alice, paired, router, paid)
  const data = encodeFunctionData({ abi, functionName: 'buy', args: [key, token, paid] })
  await from(alice, router, data, paired === ZERO_ADDRESS ? paid : 0n)
  trades.push({ side: 'buy', maker: alice, tokens: (await balanceOf(token, alice)) - before, wei: paid, fee: paid / 100n })
}

async function sell({ token, paired, key, trades }: Made, tokens: bigint) {
  await approve(alice, token, router, tokens)
  const before = await holdings(paired, alice)
  const receipt = await from(alice, router, encodeFunctionData({ abi, functionName: 'sell', args: [key, token, tokens] }))
  const gas = paired === ZERO_ADDRESS ? receipt.gasUsed * receipt.effectiveGasPrice : 0n
  const wei = (await holdings(paired, alice)) + gas - before
  // Withheld in tokens: 3 % of them, at the price of the trade.
  trades.push({ side: 'sell', maker: alice, tokens, wei, fee: (wei * 3n) / 97n })
}

/** Any account may cause the locker to swap what it has collected. */
async function convertFees({ token, paired, key, trades }: Made, tokens: bigint) {
  await pay(alice, token, converter, tokens)
  const before = await holdings(paired, converter)
  await from(stranger, converter, encodeFunctionData({ abi, functionName: 'convert', args: [key, token, tokens] }))
  const wei = (await holdings(paired, converter)) - before
  trades.push({ side: 'sell', maker: stranger, tokens, wei, fee: (wei * 3n) / 97n })
}

/** A liquidity range around the current tick, in the pool's tick spacings. */
async function changeLiquidity({ key, id, token, paired }: Made, spacings: readonly [number, number], liquidityDelta: bigint) {
  const { tick } = await readPool(id)
  const near = Math.floor(tick / key.tickSpacing)
  const params = {
    tickLower: (near + spacings[0]) * key.tickSpacing,
    tickUpper: (near + spacings[1]) * key.tickSpacing,
    liquidityDelta,
    salt: NO_SALT,
  }
  if (liquidityDelta > 0n) {
    await pay(alice, token, router, parseEther('1000000'))
    await pay(alice, paired, router, parseEther('0.01'))
  }
  await from(alice, router, encodeFunctionData({ abi, functionName: 'modifyLiquidity', args: [key, params] }))
}

const holdings = (currency: Address, holder: Address) =>
  currency === ZERO_ADDRESS ? chain.client.getBalance({ address: holder }) : balanceOf(currency, holder)

async function store(owner: Address, currency: Address, amount: bigint, payer = alice) {
  await approve(payer, currency, feeLocker, amount)
  await from(payer, feeLocker, encodeFunctionData({ abi, functionName: 'storeFees', args: [owner, currency, amount] }))
}

/** A pool of the same currencies that no factory announced: what happens in it must not count. */
async function strangersPool({ token, paired, key }: Made) {
  const strange = { ...key, fee: 3_000, tickSpacing: 200, hooks: ZERO_ADDRESS }
  await send(stranger, poolManager, encodeFunctionData({ abi, functionName: 'initialize', args: [strange, 1n << 96n] }))
  await pay(alice, token, router, 10_000n)
  await pay(alice, paired, router, 10_000n)
  const params = { tickLower: -200, tickUpper: 200, liquidityDelta: 100_000n, salt: NO_SALT }
  await from(alice, router, encodeFunctionData({ abi, functionName: 'modifyLiquidity', args: [strange, params] }))
  await approve(alice, token, router, 100n)
  await from(alice, router, encodeFunctionData({ abi, functionName: 'sell', args: [strange, token, 100n] }))
}

const balanceOf = (token: Address, holder: Address) =>
  chain.client.readContract({ address: token, abi: chain.deployment.abis.token, functionName: 'balanceOf', args: [holder] })

beforeAll(async () => {
  chain = await startTestChain()
  ;[, creator, alice, stranger] = chain.accounts as [Address, Address, Address, Address]
  const { weth, startBlock } = chain.deployment
  poolManager = await deployPoolManager(chain)
  hook = await deployHook(chain, CONTRACTS.get('FeeHook')?.bytecode ?? '0x', BEFORE_SWAP)
  feeLocker = await deployContract(chain, CONTRACTS.get('FakeFeeLocker'), [])
  router = await deployContract(chain, CONTRACTS.get('Router'), [poolManager])
  converter = await deployContract(chain, CONTRACTS.get('FeeConverter'), [poolManager])
  factory = await deployContract(chain, CONTRACTS.get('FakeFactory'), [poolManager, hook, converter, VAULT, MEV_MODULE])
  launchpads = [{ name: 'clanker4', adapter: 'clanker-v4', startBlock, contracts: { factory, feeLocker, poolManager } }]
  await chain.mined(wrap(chain, { from: alice, amountWei: parseEther('5') }))

  const first = await deployToken('First', weth, true)
  const second = await deployToken(HOSTILE, weth, false)
  const ether = await deployToken('Ether', ZERO_ADDRESS, false)
  await deployToken('Paired', first.token, true)
  for (const one of [first, second, ether]) {
    // The second crosses from one position into the next.
    await buy(one, parseEther('0.005'))
    await buy(one, parseEther('0.03'))
    await sell(one, parseEther('90000000'))
    // Round the price, beside it on either side, and a part of the first taken out again.
    await changeLiquidity(one, [-1, 2], 5n * 10n ** 19n)
    await changeLiquidity(one, [3, 4], 10n ** 18n)
    await changeLiquidity(one, [-4, -2], 10n ** 18n)
    await changeLiquidity(one, [-1, 2], -2n * 10n ** 19n)
    await sell(one, parseEther('1000000'))
    await convertFees(one, parseEther('1000'))
    await strangersPool(one)
    await pay(alice, one.token, MEV_MODULE, 3n)
    await chain.mined(transfer(chain, { from: alice, currency: one.token, to: toAddress(`0x${'0'.repeat(36)}dead`), amount: 7n }))
  }
  await pay(alice, first.key.currency0, router, 1_000n)
  await from(alice, router, encodeFunctionData({ abi, functionName: 'donate', args: [first.key, 1_000n] }))
  await store(creator, weth, 1_000n)
  await store(creator, weth, 500n)
  await store(creator, first.token, 77n)
  await from(stranger, feeLocker, encodeFunctionData({ abi, functionName: 'claim', args: [creator, weth] }))
  await store(creator, weth, 300n)
  await from(creator, feeLocker, encodeFunctionData({ abi, functionName: 'claimTo', args: [creator, first.token, stranger] }))
  // Owners of nothing that is indexed, and one who is paid in a transaction of an indexed token.
  await store(stranger, weth, 10n)
  await from(stranger, feeLocker, encodeFunctionData({ abi, functionName: 'claim', args: [stranger, weth] }))
  await store(alice, first.token, 5n)
  await updateClanker(chain, creator, first.token, [
    ['updateMetadata', '{"description":"new","image":"ipfs://other"}'],
    ['updateImage', 'ipfs://new'],
    ['updateAdmin', stranger],
  ])
  await updateClanker(chain, stranger, first.token, [['updateImage', 'ipfs://newest']])
  await updateClanker(chain, creator, second.token, [
    ['updateImage', ''],
    ['updateMetadata', 'ipfs://metadata'],
  ])
})
afterAll(() => chain?.stop())

const openReads = () => {
  const { chainId, weth } = chain.deployment
  const adapters = createAdapters({ weth, launchpads: launchpads ?? [] })
  return createReads({
    db: followed.kysely,
    chainId,
    weth,
    claimCall: ({ launchpad: _, ...target }) => adapters[0]?.claimCall(target) ?? null,
  })
}

describe('clanker-v4', () => {
  beforeAll(async () => {
    await (await openChainIndex(chain, followed, null, launchpads)).indexEach(1)
  })

  it('finds the tokens of the front end that their context names', async () => {
    expect(await foundBySurface(openReads(), 'Bankr')).toEqual(made.map(({ token }) => token).toSorted())
    expect(await foundBySurface(openReads(), 'X')).toEqual([])
  })

  it('has the early wallets that a count over the logs gives', async () => {
    await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
  })

  it('gives the same tables for a range, or two with a restart between, as block by block', async () => {
    await (await openChainIndex(chain, backfilled, null, launchpads)).indexRange(1, 12)
    await (await openChainIndex(chain, backfilled, null, launchpads)).indexRange(13)
    expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  })

  it.each([0, 1, 2])('agrees with the chain on price, pool, supply and holders (token %i)', async index => {
    const { token, id, paired } = made[index] ?? expect.unreachable()
    expect(token < paired).toBe(index === 0)
    const reads = openReads()
    const indexed = await reads.token({ address: token })
    const { sqrt, tick, liquidity } = await readPool(id)
    const price = priceFromSqrt(sqrt, { tokenIsToken0: token < paired }, 18)
    const supply = await chain.client.readContract({ address: token, abi: chain.deployment.abis.token, functionName: 'totalSupply' })
    const quote = BigInt(indexed?.pool?.reserveQuote ?? 0)
    expect(indexed).toMatchObject({
      launchpad: 'clanker4',
      creator,
      totalSupply: String(supply),
      ...(await describedClanker(chain, token)),
      market: { priceWeth: price === null ? null : formatDecimal(price), tradeCount: 6, liquidityWeth: formatUnits(2n * quote, 18) },
      pool: {
        address: id,
        type: 'uniswap-v4',
        quoteToken: paired,
        feeBps: null,
        sqrtPriceX96: String(sqrt),
        tick,
        liquidity: String(liquidity),
      },
      graduation: { status: 'none' },
    })
    const holders = (await reads.holders({ address: token, limit: 100, excludeType: [] }))?.data ?? []
    for (const { address, balance } of holders) expect(balance).toBe(String(await balanceOf(token, address)))
    expect(holders.reduce((sum, { balance }) => sum + BigInt(balance), 0n)).toBe(supply)
    expect(holders.map(({ address, type }) => [address, type])).toEqual(
      expect.arrayContaining([
        [poolManager, 'pool'],
        [creator, 'creator'],
        [alice, 'wallet'],
        [VAULT, 'locker'],
        [MEV_MODULE, 'contract'],
        ...(index === 0 ? [[feeLocker, 'locker']] : []),
      ]),
    )
  })

  it.each([0, 1, 2])('tells sides, makers and fees of trades by the swapper’s amounts (token %i)', async index => {
    const { token, id, trades: expected } = made[index] ?? expect.unreachable()
    const trades = (await openReads().trades({ address: token, limit: 10, order: 'asc' }))?.data ?? []
    expect(trades.map(({ side, maker, amountToken, amountWeth, feeWeth }) => [side, maker, amountToken, amountWeth, feeWeth])).toEqual(
      expected.map(({ side, maker, tokens, wei, fee }) => [side, maker, String(tokens), formatUnits(wei, 18), formatUnits(fee, 18)]),
    )
    expect(new Set(trades.map(({ pool }) => pool))).toEqual(new Set([id]))
  })

  // The liquidity of a v4 pool was that of its price everywhere, which one narrow position raises at almost no cost.
  it('agrees with the PoolManager on what its pools hold, but for fees', async () => {
    const reads = openReads()
    const pools = await Promise.all(made.map(async ({ token }) => (await reads.token({ address: token }))?.pool ?? expect.unreachable()))
    const currencies = new Set(made.flatMap(({ token, paired }) => [token, paired]))
    for (const currency of currencies) {
      const held = made.reduce((sum, { token, paired, trades }, index) => {
        const { reserveToken, reserveQuote } = pools[index] ?? expect.unreachable()
        const bought = trades.filter(({ side }) => side === 'buy').reduce((fees, { fee }) => fees + fee, 0n)
        const sold = trades.filter(({ side }) => side === 'sell').reduce((fees, { tokens }) => fees + (tokens * 3n) / 100n, 0n)
        return sum + (currency === token ? BigInt(reserveToken ?? 0) + sold : currency === paired ? BigInt(reserveQuote ?? 0) + bought : 0n)
      }, 0n)
      expect(held).toBeGreaterThan(10n ** 15n)
      // The pools of strangers and a gift hold a few thousand units. Swaps leave what their prices, in 2^-96, cannot express.
      const unexplained = (await holdings(currency, poolManager)) - held
      const isDust = unexplained > -100n && unexplained < 5_000n + held / 10n ** 20n
      expect({ currency, unexplained, isDust }).toMatchObject({ isDust: true })
    }
  })

  it('values a token that is paired with another token by that token’s market', async () => {
    const { token, paired } = made[3] ?? expect.unreachable()
    const reads = openReads()
    const { market, pool } = (await reads.token({ address: token })) ?? expect.unreachable()
    expect(pool?.quoteToken).toBe(paired)
    expect(market.tradeCount).toBe(1)
    const [trade = expect.unreachable()] = (await reads.trades({ address: token, limit: 10, order: 'asc' }))?.data ?? []
    const pairedTrades = (await reads.trades({ address: toAddress(paired), limit: 100, order: 'asc' }))?.data ?? []
    const isBefore = (one: typeof trade) =>
      Number(one.blockNumber) < Number(trade.blockNumber) || (one.blockNumber === trade.blockNumber && one.logIndex < trade.logIndex)
    const rate = Number(pairedTrades.findLast(isBefore)?.priceAfterWeth)
    expect(trade.maker).toBe(creator)
    // In WETH to the wei.
    expect(Number(trade.amountWeth)).toBeCloseTo(Number(formatUnits(BigInt(trade.amountQuote ?? 0), 18)) * rate, 17)
    expect(Number(trade.amountWeth)).toBeGreaterThan(0)
    expect(Number(market.priceWeth) / Number(trade.priceAfterWeth)).toBeCloseTo(1, 12)
  })

  it('keeps hostile text within bounds', async () => {
    const indexed = await openReads().token({ address: made[1]?.token ?? expect.unreachable() })
    expect(indexed?.name).toBe(`\u202e${'y'.repeat(511)}`)
  })

  it('agrees with the escrow on what creators can claim in the currencies of the token that is asked for', async () => {
    const { weth } = chain.deployment
    const first = made[0]?.token ?? expect.unreachable()
    const paid = new Map([
      [weth, ['1800', '1500']],
      [first, ['77', '77']],
    ])
    for (const { token, paired } of made) {
      const claimable = await openReads().claimable({ address: token, creator })
      const rows = claimable?.claimable.map(({ currency, accrued, claimed, scope }) => [currency, [accrued, claimed], scope])
      const currencies = new Set([ZERO_ADDRESS, weth, paired, token])
      expect(new Set(rows)).toEqual(new Set([...currencies].map(currency => [currency, paid.get(currency) ?? ['0', '0'], 'creator'])))
      for (const { currency, amount, claim } of claimable?.claimable ?? []) {
        const available = await chain.client.readContract({
          address: feeLocker,
          abi,
          functionName: 'availableFees',
          args: [creator, currency],
        })
        expect(amount).toBe(String(available))
        const data = encodeFunctionData({ abi, functionName: 'claim', args: [creator, currency] })
        expect(claim).toEqual(available === 0n ? null : { to: feeLocker, data })
      }
    }
  })

  it('stores nothing of owners whom no indexed token pays', async () => {
    const { token } = made[0] ?? expect.unreachable()
    expect((await openReads().claimable({ address: token, creator: stranger }))?.claimable).toEqual([])
    expect((await openReads().claimable({ address: token, creator: alice }))?.claimable).toMatchObject([{ currency: token, amount: '5' }])
  })
})
