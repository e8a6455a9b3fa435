import { concat, encodeAbiParameters, type Hex, keccak256, numberToHex, parseAbi, parseAbiParameters } from 'viem'
import { expect } from 'vitest'
import { readArtifact } from '#devchain/artifacts.ts'
import { CREATE2_DEPLOYER, hookAddress, saltForHook } from '#devchain/hookAddress.ts'
import type { Address } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import type { TestChain } from './chain.ts'
import { deployContract } from './deployContract.ts'

export const POOL_MANAGER_EVENTS = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
])

const STORAGE = parseAbi(['function extsload(bytes32 slot) view returns (bytes32)'])
/** Where a PoolManager keeps its pools (v4-core, `StateLibrary.sol`). */
const POOLS_SLOT = 6n

/** Uniswap's own PoolManager. */
export function deployPoolManager(chain: TestChain): Promise<Address> {
  return deployContract(chain, readArtifact('PoolManager'), [chain.accounts[0]])
}

/** A hook tells what it wants to be called for by its address, so that one with the right address has to be looked for. */
export async function deployHook(chain: TestChain, bytecode: Hex, permissions: bigint): Promise<Address> {
  const salt = saltForHook(bytecode, permissions)
  const account = chain.accounts[0] ?? expect.unreachable()
  const data = concat([salt, bytecode])
  await chain.mined(chain.client.sendTransaction({ account, chain: null, to: CREATE2_DEPLOYER, data, gas: 12_000_000n }))
  return hookAddress(bytecode, salt)
}

/** What a PoolManager itself keeps of a pool. */
export async function readV4Pool({ client }: TestChain, poolManager: Address, id: Hex) {
  const state = BigInt(keccak256(encodeAbiParameters(parseAbiParameters('bytes32, uint256'), [id, POOLS_SLOT])))
  const word = async (offset: bigint) => {
    const args = [numberToHex(state + offset, { size: 32 })] as const
    return BigInt(await client.readContract({ address: poolManager, abi: STORAGE, functionName: 'extsload', args }))
  }
  const [slot0, liquidity] = [await word(0n), await word(3n)]
  return {
    sqrt: slot0 & ((1n << 160n) - 1n),
    tick: Number(BigInt.asIntN(24, slot0 >> 160n)),
    liquidity: liquidity & ((1n << 128n) - 1n),
  }
}

/** What the API shows of a token's pool and its price in the pool's currency, by the PoolManager itself. */
export async function shownV4Pool(chain: TestChain, poolManager: Address, id: Hex, { token, quote }: Record<'token' | 'quote', Address>) {
  const { sqrt, tick, liquidity } = await readV4Pool(chain, poolManager, id)
  const price = priceFromSqrt(sqrt, { tokenIsToken0: token < quote }, 18)
  return {
    price: price === null ? null : formatDecimal(price),
    pool: { address: id, type: 'uniswap-v4', quoteToken: quote, sqrtPriceX96: String(sqrt), tick, liquidity: String(liquidity) },
  }
}
