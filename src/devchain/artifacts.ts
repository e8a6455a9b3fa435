import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'

export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
  /** Gives a hook its address (`hookAddress.ts`). */
  readonly salt?: Hex
}

const UNISWAP_CORE = '@uniswap/v3-core/artifacts/contracts'
const UNISWAP_PERIPHERY = '@uniswap/v3-periphery/artifacts/contracts'

/** Paths of the compiled contracts: the launchpad's beside its sources, the others in their npm packages. */
const FILES = {
  Launchpad: './contracts/Launchpad.artifact.json',
  BondingCurve: './contracts/BondingCurve.artifact.json',
  LaunchToken: './contracts/LaunchToken.artifact.json',
  DirectSwapper: './contracts/DirectSwapper.artifact.json',
  DevDollar: './contracts/DevDollar.artifact.json',
  FeeLocker: './contracts/FeeLocker.artifact.json',
  SniperAuction: './contracts/SniperAuction.artifact.json',
  V4Hook: './contracts/V4Hook.artifact.json',
  V4Launchpad: './contracts/V4Launchpad.artifact.json',
  V4Locker: './contracts/V4Locker.artifact.json',
  V4Router: './contracts/V4Router.artifact.json',
  WETH9: 'canonical-weth/build/contracts/WETH9.json',
  UniswapV3Factory: `${UNISWAP_CORE}/UniswapV3Factory.sol/UniswapV3Factory.json`,
  UniswapV3Pool: `${UNISWAP_CORE}/UniswapV3Pool.sol/UniswapV3Pool.json`,
  NonfungiblePositionManager: `${UNISWAP_PERIPHERY}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`,
  PoolManager: '@uniswap/v4-core/out/PoolManager.sol/PoolManager.json',
  SwapRouter: `${UNISWAP_PERIPHERY}/SwapRouter.sol/SwapRouter.json`,
} as const

export type ContractName = keyof typeof FILES

/** Reads a contract's ABI and creation bytecode. */
export function readArtifact(name: ContractName): Artifact {
  const file = createRequire(import.meta.url).resolve(FILES[name])
  const { bytecode, ...artifact } = JSON.parse(readFileSync(file, 'utf8')) as Omit<Artifact, 'bytecode'> & {
    bytecode: Hex | { object: Hex }
  }
  return { ...artifact, bytecode: typeof bytecode === 'string' ? bytecode : bytecode.object }
}
