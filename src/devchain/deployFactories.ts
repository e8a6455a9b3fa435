import { concat, encodeFunctionData, getContractAddress, type Hex, maxUint256, parseEther, parseUnits } from 'viem'
import { type Address, toAddress } from '#domain/address.ts'
import { factoryAbi, positionManagerAbi, tokenAbi, wethAbi } from './abis.ts'
import { readArtifact } from './artifacts.ts'
import type { DevClient } from './client.ts'
import { creation, DEPLOY_GAS, type Deployment, VIRTUAL_TOKEN } from './deploy.ts'
import { CREATE2_DEPLOYER, hookAddress } from './hookAddress.ts'
import { v4LaunchpadAbi } from './v4Abis.ts'

/** The first price of ETH in dollars. */
export const DOLLARS_PER_ETHER = 3_000n
export const DOLLAR_DECIMALS = 6
/** Fee of the pool that prices the dollar: 0.3 %, in hundredths of a basis point. */
export const DOLLAR_POOL_FEE = 3_000
/** The widest ticks that the tier's spacing of 60 allows. */
const MAX_TICK = 887_220
const POOL_ETHER = parseEther('1000')

/** Launchpads beside the reference launchpad: one whose curves take dollars, and one whose tokens trade in Uniswap v4 alone. */
export interface Factories {
  readonly startBlock: number
  /** An ERC-20 of 6 decimals. The deployer holds all of it except the pool's part. */
  readonly dollar: Address
  /** Dollars against WETH, Uniswap v3. */
  readonly dollarPool: Address
  readonly dollarLaunchpad: Address
  readonly v4: V4Contracts
}

export interface V4Contracts {
  readonly poolManager: Address
  readonly hook: Address
  readonly launchpad: Address
  readonly router: Address
  readonly locker: Address
  readonly feeLocker: Address
  readonly auction: Address
}

export interface FactoriesOptions {
  /** Dollars, in smallest units, that a curve raises before it graduates. Default 12,600 dollars. */
  readonly dollarTarget?: bigint
}

/**
 * Deploys the further launchpads, with a pool that prices the dollar, all in one block.
 *
 * @param mine mines the sent transactions
 * @throws `Error` when a deployment fails
 */
export async function deployFactories(
  client: DevClient,
  deployment: Deployment,
  mine: () => Promise<unknown>,
  options: FactoriesOptions = {},
): Promise<Factories> {
  const { deployer, weth, positionManager, uniswapFactory } = deployment
  const { dollarTarget = parseUnits('12600', DOLLAR_DECIMALS) } = options
  const nonce = await client.getTransactionCount({ address: deployer, blockTag: 'pending' })
  const at = (offset: number) => toAddress(getContractAddress({ from: deployer, nonce: BigInt(nonce + offset) }))
  const [dollar, poolManager, router, launchpad, dollarLaunchpad] = [at(0), at(1), at(2), at(4), at(5)]
  const hookCode = readArtifact('V4Hook')
  const salt = hookCode.salt ?? '0x'
  const hook = hookAddress(hookCode.bytecode, salt)
  const terms = [(dollarTarget * 5n) / 14n, VIRTUAL_TOKEN, dollarTarget] as const
  const calls: readonly { readonly to?: Address; readonly data: Hex; readonly value?: bigint }[] = [
    { data: creation('DevDollar', [deployer]) },
    { data: creation('PoolManager', [deployer]) },
    { data: creation('V4Router', [poolManager]) },
    { to: CREATE2_DEPLOYER, data: concat([salt, hookCode.bytecode]) },
    { data: creation('V4Launchpad', [poolManager, hook, weth]) },
    { data: creation('Launchpad', [dollar, false, positionManager, deployer, ...terms]) },
    ...fillPool({ deployer, weth, dollar, positionManager }),
  ]
  const hashes = await Promise.all(
    calls.map((call, offset) =>
      client.sendTransaction({ account: deployer, chain: null, gas: DEPLOY_GAS, nonce: nonce + offset, ...call }),
    ),
  )
  await mine()
  const receipts = await Promise.all(hashes.map(hash => client.getTransactionReceipt({ hash })))
  if (receipts.some(receipt => receipt.status !== 'success')) throw new Error('a launchpad could not be deployed')
  const made = async (functionName: 'locker' | 'feeLocker' | 'auction') =>
    toAddress(await client.readContract({ address: launchpad, abi: v4LaunchpadAbi, functionName }))
  const [locker, feeLocker, auction] = await Promise.all([made('locker'), made('feeLocker'), made('auction')])
  const pool = { address: uniswapFactory, abi: factoryAbi, functionName: 'getPool', args: [dollar, weth, DOLLAR_POOL_FEE] } as const
  return {
    startBlock: Number(receipts[0]?.blockNumber),
    dollar,
    dollarPool: toAddress(await client.readContract(pool)),
    dollarLaunchpad,
    v4: { poolManager, hook, launchpad, router, locker, feeLocker, auction },
  }
}

/** The calls that open the pool of dollars and WETH at the first price, with liquidity over all prices. */
function fillPool({
  deployer,
  weth,
  dollar,
  positionManager,
}: Pick<Deployment, 'deployer' | 'weth' | 'positionManager'> & { dollar: Address }) {
  const [ether, dollars] = [POOL_ETHER, (POOL_ETHER * DOLLARS_PER_ETHER) / 10n ** 12n]
  const isFirst = dollar < weth
  const [token0, token1, amount0, amount1] = isFirst ? ([dollar, weth, dollars, ether] as const) : ([weth, dollar, ether, dollars] as const)
  const sqrtPriceX96 = sqrtPrice(Number(amount1) / Number(amount0))
  const position = { token0, token1, fee: DOLLAR_POOL_FEE, tickLower: -MAX_TICK, tickUpper: MAX_TICK }
  const amounts = { amount0Desired: amount0, amount1Desired: amount1, amount0Min: 0n, amount1Min: 0n }
  const abi = positionManagerAbi
  const approval = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [positionManager, maxUint256] })
  const create = [token0, token1, DOLLAR_POOL_FEE, sqrtPriceX96] as const
  return [
    { to: weth, data: encodeFunctionData({ abi: wethAbi, functionName: 'deposit' }), value: ether },
    { to: weth, data: approval },
    { to: dollar, data: approval },
    { to: positionManager, data: encodeFunctionData({ abi, functionName: 'createAndInitializePoolIfNecessary', args: create }) },
    {
      to: positionManager,
      data: encodeFunctionData({
        abi,
        functionName: 'mint',
        args: [{ ...position, ...amounts, recipient: deployer, deadline: maxUint256 }],
      }),
    },
  ]
}

/** @param price of token0 in token1, both in smallest units */
export function sqrtPrice(price: number): bigint {
  return BigInt(Math.round(Math.sqrt(price) * 2 ** 96))
}
