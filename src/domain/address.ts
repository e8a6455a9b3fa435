/** A 20-byte EVM address as lower-case hex with `0x`. Two equal addresses are equal strings. */
export type Address = `0x${string}` & { readonly __brand: 'Address' }

/** A byte string as lower-case hex with `0x`: a transaction hash, block hash, topic or Uniswap v4 pool id (32 bytes), or call data. */
export type Hex = `0x${string}`

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000' as Address

/** Whether amounts of a currency are ether: ETH, for which events and rows have the zero address, or the chain's WETH. */
export function isEther(currency: Address, weth: Address): boolean {
  return currency === ZERO_ADDRESS || currency === weth
}

/** Addresses without a known key, to which tokens are sent to be destroyed. */
export const BURN_ADDRESSES: ReadonlySet<Address> = new Set([ZERO_ADDRESS, '0x000000000000000000000000000000000000dead' as Address])

const ADDRESS = /^0x[0-9a-f]{40}$/i

/** Reads `0x` and 40 hex digits of any case, without a look at the checksum. @returns `undefined` for any other value */
export function parseAddress(text: unknown): Address | undefined {
  return typeof text === 'string' && ADDRESS.test(text) ? (text.toLowerCase() as Address) : undefined
}

/** Brands a decoded ABI value or a database column. @throws `TypeError` when it is no address, a defect of the caller */
export function toAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === undefined) throw new TypeError(`not an address: ${text.slice(0, 80)}`)
  return address
}
