import type { Abi, AbiItem } from 'viem'
import { describe, expect, it } from 'vitest'
import * as abis from '#devchain/abis.ts'
import { type ContractName, readArtifact } from '#devchain/artifacts.ts'
import * as v4 from '#devchain/v4Abis.ts'

/** Typed as a whole. */
const WHOLE = ['Launchpad', 'BondingCurve', 'LaunchToken', 'DirectSwapper', 'DevDollar'] as const
const OWN = [...WHOLE, 'FeeLocker', 'SniperAuction', 'V4Hook', 'V4Launchpad', 'V4Locker', 'V4Router'] as const

const TYPED: Readonly<Record<ContractName, Abi>> = {
  Launchpad: abis.launchpadAbi,
  BondingCurve: abis.curveAbi,
  LaunchToken: abis.tokenAbi,
  DirectSwapper: abis.swapperAbi,
  DevDollar: abis.dollarAbi,
  FeeLocker: v4.feeLockerAbi,
  SniperAuction: v4.auctionAbi,
  V4Hook: v4.v4HookAbi,
  V4Launchpad: v4.v4LaunchpadAbi,
  V4Locker: v4.v4LockerAbi,
  V4Router: v4.v4RouterAbi,
  PoolManager: [],
  WETH9: abis.wethAbi,
  UniswapV3Factory: abis.factoryAbi,
  UniswapV3Pool: abis.poolAbi,
  NonfungiblePositionManager: abis.positionManagerAbi,
  SwapRouter: abis.routerAbi,
}

interface Parameter {
  readonly type: string
  readonly indexed?: boolean | undefined
  readonly components?: readonly Parameter[] | undefined
}

describe('the compiled contracts', () => {
  it.each(OWN)('%s is below the code size limits (EIP-170, EIP-3860)', name => {
    expect((readArtifact(name).bytecode.length - 2) / 2).toBeLessThan(24_576)
  })
})

describe('the typed interfaces', () => {
  it.each(WHOLE)('of %s have exactly the items of the artifact', name => {
    expect(TYPED[name].map(describeItem).sort()).toEqual(readArtifact(name).abi.map(describeItem).sort())
  })

  it.each(Object.keys(TYPED) as ContractName[])('of %s agree with the artifact', name => {
    const known = new Set(readArtifact(name).abi.map(describeItem))
    expect(TYPED[name].map(describeItem).filter(item => !known.has(item))).toEqual([])
  })
})

/** The part of an ABI item that affects the encoding: kind, signature, indexed inputs, mutability and output types. */
function describeItem(item: AbiItem): string {
  const types = (parameters: readonly Parameter[] = []): string =>
    parameters
      .map(p => `${p.components ? `(${types(p.components)})${p.type.slice('tuple'.length)}` : p.type}${p.indexed ? ' indexed' : ''}`)
      .join()
  switch (item.type) {
    case 'constructor':
      return `constructor(${types(item.inputs)}) ${item.stateMutability}`
    case 'function':
      return `function ${item.name}(${types(item.inputs)}) ${item.stateMutability} -> ${types(item.outputs)}`
    case 'event':
    case 'error':
      return `${item.type} ${item.name}(${types(item.inputs)})`
    default:
      return item.type
  }
}
