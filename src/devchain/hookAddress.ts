import { concat, getContractAddress, type Hex, hexToBytes, keccak256, numberToHex } from 'viem'
import { type Address, toAddress } from '#domain/address.ts'

/** Arachnid's deterministic deployer, which anvil has. Called with a salt and a contract's creation code. */
export const CREATE2_DEPLOYER = toAddress('0x4e59b44847b379578588920ca78fbf26c0b4956c')
/** A hook's permissions are the lowest 14 bits of its address (v4-core, `Hooks.sol`). */
const PERMISSIONS = 2n ** 14n
/** After the byte 0xff, the deployer's 20 bytes and the salt. */
const SALT_END = 1 + 20 + 32

export function hookAddress(bytecode: Hex, salt: Hex): Address {
  return toAddress(getContractAddress({ opcode: 'CREATE2', from: CREATE2_DEPLOYER, salt, bytecode }))
}

/**
 * A salt with which the deterministic deployer gives a hook an address of just these permissions. About one in 16,384 does, each at the
 * cost of one hash.
 */
export function saltForHook(bytecode: Hex, permissions: bigint): Hex {
  // EIP-1014: the address is the end of the hash of 0xff, the deployer, the salt and the hash of the code.
  const preimage = hexToBytes(concat(['0xff', CREATE2_DEPLOYER, numberToHex(0, { size: 32 }), keccak256(bytecode)]))
  const end = new DataView(preimage.buffer)
  for (let count = 0; ; count += 1) {
    end.setUint32(SALT_END - 4, count)
    const hash = keccak256(preimage, 'bytes')
    if ((BigInt(hash.at(-2) ?? 0) * 256n + BigInt(hash.at(-1) ?? 0)) % PERMISSIONS === permissions) return numberToHex(count, { size: 32 })
  }
}
