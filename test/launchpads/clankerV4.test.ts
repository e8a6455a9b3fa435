import {
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseEther,
  parseEventLogs,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReads } from '#database/reads/reads.ts'
import { transfer, wrap } from '#devchain/actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { priceFromSqrt } from '#launchpads/uniswapV3.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'

const abi = parseAbi([
  'struct Launch { string name; string symbol; bytes32 salt; address paired; bytes32 id; uint160 sqrtPriceX96; int24 tick; uint256 bought; }',
  'struct SwapResult { bytes32 id; int128 amount0; int128 amount1; uint160 sqrtPriceX96; uint128 liquidity; int24 tick; uint24 fee; }',
  'function deployToken(Launch launch, SwapResult first)',
  'function initialize(bytes32 id, address currency0, address currency1, uint160 sqrtPriceX96, int24 tick)',
  'function swap(SwapResult result)',
  'function modifyLiquidity(bytes32 id, int24 lower, int24 upper, int256 delta)',
  'function slots(bytes32 id) view returns (uint160 sqrtPriceX96, int24 tick, uint128 liquidity)',
  'function buy(address manager, address token, uint256 amount, SwapResult result) payable',
  'function sell(address manager, address token, uint256 amount, SwapResult result)',
  'function storeFees(address owner, address token, uint256 amount)',
  'function claim(address owner, address token)',
  'function claimTo(address owner, address token, address recipient)',
  'function availableFees(address owner, address token) view returns (uint256)',
  'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
])
const TOKEN = parseAbi(['constructor(string name, string symbol, address holder)', 'function approve(address spender, uint256 value)'])
const HOSTILE = `\0\u202e${'y'.repeat(2_000)}`
const Q96 = 1n << 96n
const STRANGER_POOL = keccak256('0x01')

const CONTRACTS = compileSolidity(new URL('./contracts/ClankerV4.sol', import.meta.url))

const followed = await useDatabase()
const backfilled = await useDatabase()
let chain: TestChain
let factory: Address
let feeLocker: Address
let poolManager: Address
let router: Address
let creator: Address
let alice: Address
let stranger: Address
let launchpads: Parameters<typeof openChainIndex>[3]
interface Made {
  readonly token: Address
  readonly id: Hex
  readonly paired: Address
}
const made: Made[] = []

const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas: 8_000_000n })
const from = (account: Address, to: Address, data: Hex, value = 0n) => chain.mined(send(account, to, data, value))

/** What a swap did, from the token's and the quote's side, as the swapper's amounts. */
function result({ token, paired, id }: Made, tokens: bigint, quote: bigint, sqrtPriceX96: bigint, fee = 10_000) {
  const [amount0, amount1] = token < paired ? [tokens, quote] : [quote, tokens]
  return { id, amount0, amount1, sqrtPriceX96, liquidity: 123_456n, tick: -77, fee }
}

async function deployToken(name: string, paired: Address, first: boolean): Promise<Made> {
  const id = keccak256(numberToHex(made.length + 100))
  const bytecode = encodeDeployData({ abi: TOKEN, bytecode: CONTRACTS.get('LaunchToken')?.bytecode ?? '0x', args: [name, 'SYM', factory] })
  let salt = numberToHex(0, { size: 32 })
  let token: Address
  for (let count = 0; ; count += 1) {
    salt = numberToHex(count, { size: 32 })
    token = toAddress(getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode }))
    if (token < paired === first) break
  }
  const one = { token, id, paired }
  const launch = { name, symbol: 'SYM', salt, paired, id, sqrtPriceX96: Q96 / 1_000n, tick: 100, bought: parseEther('1000') }
  const swap = result(one, parseEther('1000'), -parseEther('0.01'), Q96 / 900n)
  const receipt = await from(creator, factory, encodeFunctionData({ abi, functionName: 'deployToken', args: [launch, swap] }))
  const [event] = parseEventLogs({ abi, eventName: 'TokenCreated', logs: receipt.logs })
  expect([toAddress(event?.args.tokenAddress ?? ''), receipt.logs.at(-1)?.logIndex]).toEqual([token, event?.logIndex])
  made.push(one)
  return one
}

async function store(owner: Address, currency: Address, amount: bigint, payer = alice) {
  const approve = encodeFunctionData({ abi: TOKEN, functionName: 'approve', args: [feeLocker, amount] })
  await from(payer, currency, approve)
  await from(payer, feeLocker, encodeFunctionData({ abi, functionName: 'storeFees', args: [owner, currency, amount] }))
}

const balanceOf = (token: Address, holder: Address) =>
  chain.client.readContract({ address: token, abi: chain.deployment.abis.token, functionName: 'balanceOf', args: [holder] })

beforeAll(async () => {
  chain = await startTestChain()
  ;[, creator, alice, stranger] = chain.accounts as [Address, Address, Address, Address]
  const { weth, startBlock } = chain.deployment
  poolManager = await deployContract(chain, CONTRACTS, 'FakePoolManager')
  feeLocker = await deployContract(chain, CONTRACTS, 'FakeFeeLocker')
  router = await deployContract(chain, CONTRACTS, 'FakeRouter')
  factory = await deployContract(chain, CONTRACTS, 'FakeFactory', [poolManager])
  launchpads = [{ name: 'clanker4', adapter: 'clanker-v4', startBlock, contracts: { factory, feeLocker, poolManager } }]
  await chain.mined(wrap(chain, { from: alice, amountWei: parseEther('5') }))

  const first = await deployToken('First', weth, true)
  const second = await deployToken(HOSTILE, weth, false)
  const ether = await deployToken('Ether', ZERO_ADDRESS, false)
  await deployToken('Paired', first.token, true)
  for (const one of [first, second, ether]) {
    const amount = parseEther('5000')
    // An address-like topic, and pools that nobody watches: other pools' logs must not count.
    await send(
      stranger,
      poolManager,
      encodeFunctionData({ abi, functionName: 'initialize', args: [STRANGER_POOL, weth, one.token, Q96, 0] }),
    )
    await send(
      alice,
      router,
      encodeFunctionData({
        abi,
        functionName: 'buy',
        args: [poolManager, one.token, amount, result(one, amount, -parseEther('0.05'), Q96 / 800n, 10_000)],
      }),
      parseEther('0.05'),
    )
    const strange = { ...result(one, amount, -parseEther('9'), Q96), id: STRANGER_POOL }
    await send(stranger, poolManager, encodeFunctionData({ abi, functionName: 'swap', args: [strange] }))
    await chain.mine()
    await from(alice, one.token, encodeFunctionData({ abi: TOKEN, functionName: 'approve', args: [router, amount] }))
    const sold = parseEther('2000')
    await from(
      alice,
      router,
      encodeFunctionData({
        abi,
        functionName: 'sell',
        args: [poolManager, one.token, sold, result(one, -sold, parseEther('0.02'), Q96 / 850n, 30_000)],
      }),
    )
    await from(stranger, poolManager, encodeFunctionData({ abi, functionName: 'modifyLiquidity', args: [one.id, -200, 0, 1_000n] }))
    await chain.mined(transfer(chain, { from: alice, currency: one.token, to: toAddress(`0x${'0'.repeat(36)}dead`), amount: 7n }))
  }
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
}, 60_000)
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

  it('gives the same tables for a range, or two with a restart between, as block by block', async () => {
    await (await openChainIndex(chain, backfilled, null, launchpads)).indexRange(1, 12)
    await (await openChainIndex(chain, backfilled, null, launchpads)).indexRange(13)
    expect(await dumpTables(backfilled.kysely)).toEqual(await dumpTables(followed.kysely))
  })

  it.each([0, 1, 2])('agrees with the chain on price, pool, supply and holders (token %i)', async index => {
    const { token, id, paired } = made[index] ?? expect.unreachable()
    expect(token < paired).toBe(index === 0)
    const reads = openReads()
    const indexed = await reads.token(token)
    const [sqrt, tick, liquidity] = await chain.client.readContract({ address: poolManager, abi, functionName: 'slots', args: [id] })
    const price = priceFromSqrt(sqrt, { tokenIsToken0: token < paired, quoteDecimals: 18 }, 18)
    const supply = await chain.client.readContract({ address: token, abi: chain.deployment.abis.token, functionName: 'totalSupply' })
    expect(indexed).toMatchObject({
      launchpad: 'clanker4',
      creator,
      totalSupply: String(supply),
      metadataUri: 'ipfs://metadata',
      market: { priceWeth: price === null ? null : formatDecimal(price), tradeCount: 3, liquidityWeth: null },
      pool: {
        address: id,
        type: 'uniswap-v4',
        quoteToken: paired,
        feeBps: null,
        reserveToken: null,
        reserveQuote: null,
        sqrtPriceX96: String(sqrt),
        tick,
        liquidity: String(liquidity),
      },
      graduation: { status: 'none' },
    })
    const holders = (await reads.holders({ token, limit: 100, excludeTypes: [] }))?.data ?? []
    for (const { address, balance } of holders) expect(balance).toBe(String(await balanceOf(token, address)))
    expect(holders.reduce((sum, { balance }) => sum + BigInt(balance), 0n)).toBe(supply)
    expect(holders.map(({ address, type }) => [address, type])).toEqual(
      expect.arrayContaining([
        [poolManager, 'pool'],
        [creator, 'creator'],
        [alice, 'wallet'],
        ...(index === 0 ? [[feeLocker, 'locker']] : []),
      ]),
    )
  })

  it.each([0, 1, 2])('tells sides, makers and fees of trades by the swapper’s amounts (token %i)', async index => {
    const { token, id } = made[index] ?? expect.unreachable()
    const trades = (await openReads().trades({ token, limit: 10, order: 'asc' }))?.data ?? []
    expect(trades.map(({ side, maker, amountToken, amountWeth, feeWeth }) => [side, maker, amountToken, amountWeth, feeWeth])).toEqual([
      ['buy', creator, String(parseEther('1000')), '0.01', '0.0001'],
      ['buy', alice, String(parseEther('5000')), '0.05', '0.0005'],
      // Withheld in tokens: 3 % of them are worth 0.02 / 0.97 × 0.03.
      ['sell', alice, String(parseEther('2000')), '0.02', '0.000618556701030927'],
    ])
    expect(new Set(trades.map(({ pool }) => pool))).toEqual(new Set([id]))
  })

  it('gives a token that is paired with something else no WETH prices', async () => {
    const { token, paired } = made[3] ?? expect.unreachable()
    const reads = openReads()
    expect(await reads.token(token)).toMatchObject({ market: { priceWeth: null, tradeCount: 1 }, pool: { quoteToken: paired } })
    const trades = await reads.trades({ token, limit: 10, order: 'asc' })
    expect(trades?.data[0]).toMatchObject({ amountWeth: null, feeWeth: null, priceWeth: null, maker: creator })
  })

  it('keeps hostile text within bounds', async () => {
    const indexed = await openReads().token(made[1]?.token ?? expect.unreachable())
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
      const claimable = await openReads().claimable(token, creator)
      const rows = claimable?.claimable.map(({ currency, accrued, claimed, scope }) => [currency, [accrued, claimed], scope])
      const currencies = new Set([ZERO_ADDRESS, paired, token])
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
    expect((await openReads().claimable(token, stranger))?.claimable).toEqual([])
    expect((await openReads().claimable(token, alice))?.claimable).toMatchObject([{ currency: token, amount: '5' }])
  })
})
