import { encodeDeployData, type Hex, parseEther } from 'viem'
import { positionManagerAbi, routerAbi } from '#devchain/abis.ts'
import { poolIdOf } from '#devchain/v4Actions.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { saltFor } from '#test/support/saltFor.ts'
import { deployHook, deployPoolManager } from '#test/support/uniswapV4.ts'
import { ERC20, type Pad, type PadContract, padContract, publishedMapping } from './pad.ts'

const CONTRACTS = compileSolidity(new URL('../../launchpads/contracts/Pools.sol', import.meta.url), { viaIR: true })
const BEFORE_SWAP = 1n << 7n
/** A price in whole ticks, at which a token is worth about a ten-billionth of an ether. */
const TICK = 230_400
const PRICE = BigInt(Math.round(1.0001 ** (TICK / 2) * 2 ** 96))
/** Buys a curve out. */
const ALL = parseEther('3')

/** A launchpad whose tokens trade in Uniswap's pools, from the start or once they have graduated. */
export interface PoolPad extends Pick<Pad, 'launchpads' | 'tokens' | 'launch' | 'trade'> {
  /** Of the pool: an address, or an id inside the PoolManager. */
  readonly poolOf: (token: Address) => Promise<Hex>
  /** `null`: the pool is of Uniswap v3. */
  readonly poolManager: Address | null
  /** Makes other pools of the token, as anybody may. */
  stranger(token: Address): Promise<unknown>
  /** Moves a token off its curve. Left out: there are no curves. */
  graduate?(token: Address): Promise<unknown>
}

const V4 = [
  {
    type: 'function',
    name: 'initialize',
    stateMutability: 'nonpayable',
    inputs: [
      {
        name: 'key',
        type: 'tuple',
        components: [
          { name: 'currency0', type: 'address' },
          { name: 'currency1', type: 'address' },
          { name: 'fee', type: 'uint24' },
          { name: 'tickSpacing', type: 'int24' },
          { name: 'hooks', type: 'address' },
        ],
      },
      { name: 'sqrtPriceX96', type: 'uint160' },
    ],
    outputs: [],
  },
] as const

/** Trades of a v4 pad's pools, each approved before. */
async function tradeInPool(chain: TestChain, pad: PadContract, from: Address, token: Address, side: TradeSide, amount: bigint) {
  if (side === 'buy') return pad.send(from, 'poolBuy', [token], amount)
  await padContract(chain, token, ERC20).send(from, 'approve', [pad.address, amount])
  return pad.send(from, 'poolSell', [token, amount])
}

async function openManager(chain: TestChain) {
  const poolManager = await deployPoolManager(chain)
  const hook = await deployHook(chain, CONTRACTS.get('PlainHook')?.bytecode ?? '0x', BEFORE_SWAP)
  const keyOf = (token: Address, fee: number, tickSpacing: number, hooks: Address) => ({
    currency0: ZERO_ADDRESS,
    currency1: token,
    fee,
    tickSpacing,
    hooks,
  })
  const manager = padContract(chain, poolManager, V4)
  const stranger = async (token: Address, hooks: readonly Address[]) => {
    const from = chain.account(5)
    for (const [index, hook] of hooks.entries()) await manager.send(from, 'initialize', [keyOf(token, 3_000 + index, 60, hook), 1n << 96n])
  }
  return { poolManager, hook, keyOf, stranger }
}

/** pools.trade. */
export async function openPoolsTrade(chain: TestChain): Promise<PoolPad> {
  const { poolManager, hook, keyOf, stranger } = await openManager(chain)
  const pad = padContract(chain, await deployContract(chain, CONTRACTS.get('PoolsTrade'), [poolManager]), abiOf('PoolsTrade'))
  const tokens: Address[] = []
  return {
    tokens,
    poolManager,
    launchpads: publishedMapping('pools-trade.json', chain.deployment.weth, { factory: pad.address, poolManager }),
    launch: async (from, firstBuy) => {
      const receipt = await pad.send(from, 'launch', [(PRICE * 100_001n) / 100_000n, TICK], firstBuy)
      tokens.push(pad.addressIn(receipt, 'TokenLaunched', 2))
    },
    trade: (from, token, side, amount) => tradeInPool(chain, pad, from, token, side, amount),
    poolOf: async token => poolIdOf(keyOf(token, 2_500, 60, ZERO_ADDRESS)),
    stranger: token => stranger(token, [ZERO_ADDRESS, hook]),
  }
}

/** Noxa. */
export async function openNoxa(chain: TestChain): Promise<PoolPad> {
  const { weth, positionManager, uniswapFactory, swapRouter } = chain.deployment
  const args = [positionManager, swapRouter, weth, uniswapFactory]
  const pad = padContract(chain, await deployContract(chain, CONTRACTS.get('Noxa'), args), abiOf('Noxa'))
  const positions = padContract(chain, positionManager, positionManagerAbi)
  const router = padContract(chain, swapRouter, routerAbi)
  const tokens: Address[] = []
  const pools = new Map<Address, Address>()
  const token0 = { ...CONTRACTS.get('LaunchToken'), args: ['Noxa', 'NOXA', pad.address] } as Parameters<typeof encodeDeployData>[0]
  return {
    tokens,
    poolManager: null,
    launchpads: publishedMapping('noxa.json', weth, { factory: pad.address, moreFactories: undefined }),
    launch: async (from, firstBuy) => {
      const { salt } = saltFor(pad.address, encodeDeployData(token0), address => address < weth && !tokens.includes(address))
      const price = BigInt(Math.round(1.0001 ** (-TICK / 2) * 0.99999 * 2 ** 96))
      const receipt = await pad.send(from, 'launch', [salt, price, -TICK], firstBuy)
      const token = pad.addressIn(receipt, 'TokenLaunched', 1)
      tokens.push(token)
      pools.set(token, pad.addressIn(receipt, 'TokenLaunched', 5))
    },
    trade: async (from, token, side, amount) => {
      const [paid, wanted] = side === 'buy' ? [weth, token] : [token, weth]
      if (side === 'sell') await padContract(chain, token, ERC20).send(from, 'approve', [swapRouter, amount])
      const { timestamp } = await chain.client.getBlock()
      const unbounded = { amountOutMinimum: 0n, sqrtPriceLimitX96: 0n, deadline: timestamp + 1_000n }
      const terms = { tokenIn: paid, tokenOut: wanted, fee: 10_000, recipient: from, amountIn: amount, ...unbounded }
      return router.send(from, 'exactInputSingle', [terms], side === 'buy' ? amount : 0n)
    },
    poolOf: async token => pools.get(token) ?? '0x',
    stranger: token => {
      return positions.send(chain.account(5), 'createAndInitializePoolIfNecessary', [token, weth, 3_000, 1n << 96n])
    },
  }
}

/** Bags on Robinhood Chain. */
export async function openBags(chain: TestChain): Promise<PoolPad> {
  const { poolManager, hook, keyOf, stranger } = await openManager(chain)
  const pad = padContract(chain, await deployContract(chain, CONTRACTS.get('Bags'), [poolManager, hook]), abiOf('Bags'))
  return {
    ...curves(chain, pad, { launch: 'create', event: 'TokenCreated', curveWord: 4, abi: 'BagsCurve' }),
    poolManager,
    launchpads: publishedMapping('bags.json', chain.deployment.weth, { factory: pad.address, poolManager }),
    poolOf: async token => poolIdOf(keyOf(token, 0, 200, hook)),
    stranger: token => stranger(token, [ZERO_ADDRESS, hook]),
  }
}

/** The second version of Pons. */
export async function openPons(chain: TestChain): Promise<PoolPad> {
  const { poolManager, hook, keyOf, stranger } = await openManager(chain)
  const pad = padContract(chain, await deployContract(chain, CONTRACTS.get('Pons'), [poolManager, hook]), abiOf('Pons'))
  const forger = padContract(chain, await deployContract(chain, CONTRACTS.get('Forger'), []), abiOf('Forger'))
  const common = curves(chain, pad, { launch: 'launch', event: 'TokenLaunched', curveWord: 2, abi: 'PonsCurve' })
  const byHook = { graduate: { pool: { hook, tickSpacing: 200 } } }
  return {
    ...common,
    poolManager,
    launchpads: publishedMapping('pons-v2.json', chain.deployment.weth, { factory: pad.address, poolManager }, byHook),
    poolOf: async token => poolIdOf(keyOf(token, 0, 200, hook)),
    stranger: token => stranger(token, [ZERO_ADDRESS, hook]),
    graduate: async token => {
      await common.graduate(token)
      // In a transaction in which somebody else makes pools of the token.
      await forger.send(chain.account(5), 'graduate', [poolManager, pad.address, token])
    },
  }
}

interface CurvesInput {
  readonly launch: string
  readonly event: string
  /** The word of the launch's event that has the curve. */
  readonly curveWord: number
  readonly abi: string
}

/** The tokens of a pad with a curve for each, which trade in its pools once they have graduated. */
function curves(chain: TestChain, pad: PadContract, { launch, event, curveWord, abi }: CurvesInput) {
  const tokens: Address[] = []
  const curveOf = new Map<Address, PadContract>()
  const graduated = new Set<Address>()
  const onCurve = async (from: Address, token: Address, side: TradeSide, amount: bigint) => {
    const curve = curveOf.get(token)
    if (curve === undefined) throw new Error('no curve')
    if (side === 'buy') return curve.send(from, 'buy', [], amount)
    await padContract(chain, token, ERC20).send(from, 'approve', [curve.address, amount])
    return curve.send(from, 'sell', [amount])
  }
  return {
    tokens,
    launch: async (from: Address, firstBuy: bigint) => {
      const receipt = await pad.send(from, launch, [])
      const token = pad.addressIn(receipt, event, 1)
      tokens.push(token)
      curveOf.set(token, padContract(chain, pad.addressIn(receipt, event, curveWord), abiOf(abi)))
      if (firstBuy > 0n) await onCurve(from, token, 'buy', firstBuy)
    },
    trade: (from: Address, token: Address, side: TradeSide, amount: bigint) =>
      graduated.has(token) ? tradeInPool(chain, pad, from, token, side, amount) : onCurve(from, token, side, amount),
    graduate: async (token: Address) => {
      await onCurve(chain.account(1), token, 'buy', ALL)
      graduated.add(token)
    },
  }
}

function abiOf(name: string) {
  return CONTRACTS.get(name)?.abi ?? []
}
