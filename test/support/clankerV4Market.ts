import { encodeDeployData, type Hex, numberToHex, parseAbi, parseEther } from 'viem'
import { expect } from 'vitest'
import type { LaunchpadConfig } from '#config'
import { approve, transfer, wrap } from '#devchain/actions.ts'
import { poolIdOf, type V4PoolKey } from '#devchain/v4Actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { TestChain } from './chain.ts'
import { balanceOf } from './chainReads.ts'
import { compileSolidity } from './compileSolidity.ts'
import { contractAt, eventIn } from './contractAt.ts'
import { deployContract } from './deployContract.ts'
import { saltFor } from './saltFor.ts'
import { deployHook, deployPoolManager, readV4Pool } from './uniswapV4.ts'

const ABI = parseAbi([
  'constructor(string name, string symbol, address holder)',
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
/** The only permission of the market's hook. */
const BEFORE_SWAP = 1n << 7n
const START_TICK = 230_400
const DYNAMIC_FEE = 0x80_00_00
const NO_SALT = numberToHex(0, { size: 32 })
/** An extension that keeps tokens for others, and a module that is given some. */
export const VAULT = toAddress(numberToHex(0xc0_0001, { size: 20 }))
export const MEV_MODULE = toAddress(numberToHex(0xc0_0002, { size: 20 }))

/** What a trade was by the balances that it moved, and what fee the hook set. */
interface MadeTrade {
  readonly side: 'buy' | 'sell'
  readonly maker: Address
  readonly tokens: bigint
  readonly wei: bigint
  readonly fee: bigint
}

/** A token in Uniswap v4 whose trades are known. */
export interface Clanker {
  readonly token: Address
  readonly paired: Address
  readonly key: V4PoolKey
  readonly id: Hex
  readonly trades: MadeTrade[]
}

/** Deploys the tests' Clanker v4 contracts over Uniswap's own PoolManager, and gives a trader WETH. Each action mines blocks of its own. */
export async function openClankerV4Market(chain: TestChain) {
  const [creator, trader, stranger] = [chain.account(1), chain.account(2), chain.account(3)]
  const { weth, startBlock } = chain.deployment
  const contracts = compileSolidity(new URL('../launchpads/contracts/ClankerV4.sol', import.meta.url), { viaIR: true })
  const at = (address: Address) => contractAt(chain, address, ABI)
  const poolManager = at(await deployPoolManager(chain))
  const hook = await deployHook(chain, contracts.get('FeeHook')?.bytecode ?? '0x', BEFORE_SWAP)
  const feeLocker = at(await deployContract(chain, contracts.get('FakeFeeLocker'), []))
  const router = at(await deployContract(chain, contracts.get('Router'), [poolManager.address]))
  /** The locker of positions, which converts their fees. */
  const converter = at(await deployContract(chain, contracts.get('FeeConverter'), [poolManager.address]))
  const owned = [poolManager.address, hook, converter.address, VAULT, MEV_MODULE]
  const factory = at(await deployContract(chain, contracts.get('FakeFactory'), owned))
  const deployed = { factory: factory.address, feeLocker: feeLocker.address, poolManager: poolManager.address }
  const launchpads: readonly LaunchpadConfig[] = [{ name: 'clanker4', adapter: 'clanker-v4', startBlock, contracts: deployed }]
  await chain.mined(wrap(chain, { from: trader, amountWei: parseEther('5') }))

  const allow = (from: Address, currency: Address, spender: Address, amount: bigint) =>
    chain.mined(approve(chain, { from, currency, spender, amount }))
  const pay = (currency: Address, to: Address, amount: bigint, from = trader) =>
    currency === ZERO_ADDRESS
      ? chain.mined(chain.client.sendTransaction({ account: from, chain: null, to, value: amount }))
      : chain.mined(transfer(chain, { from, currency, to, amount }))
  const held = (currency: Address, holder: Address) => balanceOf(chain, currency, holder)

  /** @param first whether the token is to be its pool's first currency */
  async function launch(name: string, paired: Address, first: boolean): Promise<Clanker> {
    const bytecode = encodeDeployData({
      abi: ABI,
      bytecode: contracts.get('ClankerToken')?.bytecode ?? '0x',
      args: [name, 'SYM', factory.address],
    })
    const { salt, address: token } = saltFor(factory.address, bytecode, address => address < paired === first)
    const startingTick = first ? -START_TICK : START_TICK
    // A little outside of the positions, which hold tokens alone.
    const sqrtPriceX96 = BigInt(Math.round(1.0001 ** (startingTick / 2) * (first ? 0.99999 : 1.00001) * 2 ** 96))
    const paid = parseEther('0.01')
    await pay(paired, factory.address, paid, paired === ZERO_ADDRESS || paired === weth ? trader : creator)
    const terms = { name, symbol: 'SYM', salt, paired, sqrtPriceX96, startingTick, paid }
    const { logs } = await factory.send(creator, 'deployToken', [terms])
    // Announced last, as the real factory does.
    const { tokenAddress, poolId } = eventIn({ logs: logs.slice(-1) }, ABI, 'TokenCreated')
    const [currency0, currency1] = first ? [token, paired] : [paired, token]
    const key = { currency0, currency1, fee: DYNAMIC_FEE, tickSpacing: 200, hooks: hook }
    const id = poolIdOf(key)
    expect([toAddress(tokenAddress), poolId]).toEqual([token, id])
    return {
      token,
      paired,
      key,
      id,
      trades: [{ side: 'buy', maker: creator, tokens: await held(token, creator), wei: paid, fee: paid / 100n }],
    }
  }

  async function buy({ token, paired, key, trades }: Clanker, paid: bigint) {
    const before = await held(token, trader)
    if (paired !== ZERO_ADDRESS) await allow(trader, paired, router.address, paid)
    await router.send(trader, 'buy', [key, token, paid], paired === ZERO_ADDRESS ? paid : 0n)
    trades.push({ side: 'buy', maker: trader, tokens: (await held(token, trader)) - before, wei: paid, fee: paid / 100n })
  }

  async function sell({ token, paired, key, trades }: Clanker, tokens: bigint) {
    await allow(trader, token, router.address, tokens)
    const before = await held(paired, trader)
    const receipt = await router.send(trader, 'sell', [key, token, tokens])
    const gas = paired === ZERO_ADDRESS ? receipt.gasUsed * receipt.effectiveGasPrice : 0n
    const wei = (await held(paired, trader)) + gas - before
    // Withheld in tokens: 3 % of them, at the price of the trade.
    trades.push({ side: 'sell', maker: trader, tokens, wei, fee: (wei * 3n) / 97n })
  }

  /** Any account may cause the locker to swap what it has collected. */
  async function convertFees({ token, paired, key, trades }: Clanker, tokens: bigint) {
    await pay(token, converter.address, tokens)
    const before = await held(paired, converter.address)
    await converter.send(stranger, 'convert', [key, token, tokens])
    const wei = (await held(paired, converter.address)) - before
    trades.push({ side: 'sell', maker: stranger, tokens, wei, fee: (wei * 3n) / 97n })
  }

  /** @param spacings a range around the current tick, in the pool's tick spacings */
  async function changeLiquidity({ key, id, token, paired }: Clanker, spacings: readonly [number, number], liquidityDelta: bigint) {
    const { tick } = await readV4Pool(chain, poolManager.address, id)
    const [tickLower, tickUpper] = spacings.map(one => (Math.floor(tick / key.tickSpacing) + one) * key.tickSpacing) as [number, number]
    if (liquidityDelta > 0n) {
      await pay(token, router.address, parseEther('1000000'))
      await pay(paired, router.address, parseEther('0.01'))
    }
    await router.send(trader, 'modifyLiquidity', [key, { tickLower, tickUpper, liquidityDelta, salt: NO_SALT }])
  }

  /** A pool of the same currencies that no factory announced: what happens in it must not count. */
  async function strangersPool({ token, paired, key }: Clanker) {
    const strange = { ...key, fee: 3_000, tickSpacing: 200, hooks: ZERO_ADDRESS }
    await poolManager.queue(stranger, 'initialize', [strange, 1n << 96n])
    await pay(token, router.address, 10_000n)
    await pay(paired, router.address, 10_000n)
    const range = { tickLower: -200, tickUpper: 200, liquidityDelta: 100_000n, salt: NO_SALT }
    await router.send(trader, 'modifyLiquidity', [strange, range])
    await allow(trader, token, router.address, 100n)
    await router.send(trader, 'sell', [strange, token, 100n])
  }

  async function donate({ key }: Clanker, amount: bigint) {
    await pay(key.currency0, router.address, amount)
    await router.send(trader, 'donate', [key, amount])
  }

  /** The trader pays fees into an owner's account. */
  async function storeFees(owner: Address, currency: Address, amount: bigint) {
    await allow(trader, currency, feeLocker.address, amount)
    await feeLocker.send(trader, 'storeFees', [owner, currency, amount])
  }

  return {
    creator,
    trader,
    stranger,
    launchpads,
    poolManager,
    feeLocker,
    launch,
    buy,
    sell,
    convertFees,
    changeLiquidity,
    strangersPool,
    donate,
    storeFees,
    pay,
    held,
  }
}
