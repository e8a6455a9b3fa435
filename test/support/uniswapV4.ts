import { createRequire } from 'node:module'
import {
  type Abi,
  concat,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { expect } from 'vitest'
import { type Address, toAddress } from '#domain/address.ts'
import type { TestChain } from './chain.ts'
import { deployContract } from './deployContract.ts'

export interface V4PoolKey {
  readonly currency0: Address
  readonly currency1: Address
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}

const STORAGE = parseAbi(['function extsload(bytes32 slot) view returns (bytes32)'])
/** Arachnid's deterministic deployer, which anvil has. */
const CREATE2_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c' as Address
/** Where a PoolManager keeps its pools (v4-core, `StateLibrary.sol`). */
const POOLS_SLOT = 6n
/** A hook's permissions are the lowest 14 bits of its address (v4-core, `Hooks.sol`). */
const PERMISSIONS = 2n ** 14n
/** After the byte 0xff, the deployer's 20 bytes and the salt. */
const SALT_END = 1 + 20 + 32

/** Uniswap's own PoolManager. */
export function deployPoolManager(chain: TestChain): Promise<Address> {
  const { abi, bytecode } = createRequire(import.meta.url)('@uniswap/v4-core/out/PoolManager.sol/PoolManager.json') as {
    abi: Abi
    bytecode: { object: Hex }
  }
  return deployContract(chain, { abi, bytecode: bytecode.object }, [chain.accounts[0]])
}

/** A hook tells what it wants to be called for by its address, so that one with the right address has to be looked for. */
export async function deployHook(chain: TestChain, bytecode: Hex, permissions: bigint): Promise<Address> {
  const salt = saltFor(bytecode, permissions)
  const account = chain.accounts[0] ?? expect.unreachable()
  const data = concat([salt, bytecode])
  await chain.mined(chain.client.sendTransaction({ account, chain: null, to: CREATE2_DEPLOYER, data, gas: 12_000_000n }))
  return toAddress(getContractAddress({ opcode: 'CREATE2', from: CREATE2_DEPLOYER, salt, bytecode }))
}

/** About one in 16,384 salts does, each at the cost of one hash. */
function saltFor(bytecode: Hex, permissions: bigint): Hex {
  // EIP-1014: the address is the end of the hash of 0xff, the deployer, the salt and the hash of the code.
  const preimage = hexToBytes(concat(['0xff', CREATE2_DEPLOYER, numberToHex(0, { size: 32 }), keccak256(bytecode)]))
  const end = new DataView(preimage.buffer)
  for (let count = 0; ; count += 1) {
    end.setUint32(SALT_END - 4, count)
    const hash = keccak256(preimage, 'bytes')
    if ((BigInt(hash.at(-2) ?? 0) * 256n + BigInt(hash.at(-1) ?? 0)) % PERMISSIONS === permissions) return numberToHex(count, { size: 32 })
  }
}

export function poolIdOf(key: V4PoolKey): Hex {
  return keccak256(
    encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), [
      key.currency0,
      key.currency1,
      key.fee,
      key.tickSpacing,
      key.hooks,
    ]),
  )
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
