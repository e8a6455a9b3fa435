import { getContractAddress, type Hex, numberToHex } from 'viem'
import { type Address, toAddress } from '#domain/address.ts'

/** The first salt with which a factory's CREATE2 gives a contract an address that fits: lower than its currency's, for example. */
export function saltFor(
  factory: Address,
  bytecode: Hex,
  fits: (address: Address) => boolean,
): { readonly salt: Hex; readonly address: Address } {
  for (let count = 0; ; count++) {
    const salt = numberToHex(count, { size: 32 })
    const address = toAddress(getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode }))
    if (fits(address)) return { salt, address }
  }
}
