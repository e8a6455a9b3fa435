import { encodeDeployData, getContractAddress, type Hex, parseEther } from 'viem'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { curveAbi, factoryAbi, launchpadAbi, poolAbi, positionManagerAbi, routerAbi, swapperAbi, tokenAbi, wethAbi } from './abis.ts'
import { type ContractName, readArtifact } from './artifacts.ts'
import type { DevClient } from './client.ts'

export const DEPLOY_GAS = 12_000_000n

export interface DeployOptions {
  /** ETH that a curve raises before it graduates. Default 4.2 ETH; the initial virtual reserve is 5/14 of it (1.5 ETH). */
  readonly targetWei?: bigint
}

/** The contracts of a development chain. */
export interface Deployment {
  readonly chainId: number
  /** The block of the first contract. */
  readonly startBlock: number
  /** Sender of the deployments and recipient of the protocol's fees. */
  readonly deployer: Address
  readonly weth: Address
  readonly uniswapFactory: Address
  readonly positionManager: Address
  readonly swapRouter: Address
  readonly launchpad: Address
  readonly directSwapper: Address
  readonly abis: typeof DEPLOYMENT_ABIS
}

export const DEPLOYMENT_ABIS = {
  launchpad: launchpadAbi,
  curve: curveAbi,
  token: tokenAbi,
  swapper: swapperAbi,
  weth: wethAbi,
  pool: poolAbi,
  factory: factoryAbi,
  positionManager: positionManagerAbi,
  router: routerAbi,
} as const

/** More than the supply of 10^27, so that the tokens unsold at the target are enough for the pool. A small rest is burned. */
export const VIRTUAL_TOKEN = 1_073_000_000n * 10n ** 18n

/**
 * Deploys WETH9, Uniswap v3 and the launchpad from the chain's first account, all in one block.
 *
 * @param mine mines the sent transactions; not needed on a chain that mines by itself
 * @throws `Error` when a deployment fails
 */
export async function deploy(client: DevClient, options: DeployOptions = {}, mine?: () => Promise<unknown>): Promise<Deployment> {
  const [deployer] = await client.getAddresses()
  if (deployer === undefined) throw new Error('the chain has no unlocked account')
  const firstNonce = await client.getTransactionCount({ address: deployer, blockTag: 'pending' })
  const { targetWei = parseEther('4.2') } = options
  // An address follows from sender and nonce, so contracts can refer to earlier ones that are not mined yet.
  const at = (offset: number) => toAddress(getContractAddress({ from: deployer, nonce: BigInt(firstNonce + offset) }))
  const [weth, uniswapFactory, positionManager, swapRouter, directSwapper, launchpad] = [at(0), at(1), at(2), at(3), at(4), at(5)]
  const terms = [(targetWei * 5n) / 14n, VIRTUAL_TOKEN, targetWei] as const
  const creations: Hex[] = [
    creation('WETH9', []),
    creation('UniswapV3Factory', []),
    creation('NonfungiblePositionManager', [uniswapFactory, weth, ZERO_ADDRESS]),
    creation('SwapRouter', [uniswapFactory, weth]),
    creation('DirectSwapper', []),
    creation('Launchpad', [weth, true, positionManager, deployer, ...terms]),
  ]
  const hashes = await Promise.all(
    creations.map((data, offset) =>
      client.sendTransaction({ account: deployer, chain: null, data, gas: DEPLOY_GAS, nonce: firstNonce + offset }),
    ),
  )
  await mine?.()
  const receipts = await Promise.all(hashes.map(hash => client.waitForTransactionReceipt({ hash })))
  if (receipts.some(receipt => receipt.status !== 'success')) throw new Error('a contract could not be deployed')
  return {
    chainId: await client.getChainId(),
    startBlock: Math.min(...receipts.map(receipt => Number(receipt.blockNumber))),
    deployer: toAddress(deployer),
    weth,
    uniswapFactory,
    positionManager,
    swapRouter,
    launchpad,
    directSwapper,
    abis: DEPLOYMENT_ABIS,
  }
}

/** A contract's creation code with its arguments. */
export function creation(name: ContractName, args: readonly unknown[]): Hex {
  const { abi, bytecode } = readArtifact(name)
  return encodeDeployData({ abi, bytecode, args })
}
