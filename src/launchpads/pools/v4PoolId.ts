import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils'
import type { Address, Hex } from '#domain/address.ts'

const POOL_KEY = parseAbiParameters('address, address, uint24, int24, address')

/** What makes up a Uniswap v4 pool besides its currencies. */
export interface V4PoolTerms {
  /** In hundredths of a basis point, or the flag of a fee that the hooks set. */
  readonly fee: number
  readonly tickSpacing: number
  /** The zero address: none. */
  readonly hooks: Address
}

/** The id of the pool of two currencies, in either order (v4-core, `PoolId.sol`). ETH is the zero address. */
export function v4PoolId(currencies: readonly [Address, Address], { fee, tickSpacing, hooks }: V4PoolTerms): Hex {
  const [currency0, currency1] = currencies.toSorted() as [Address, Address]
  return keccak256(encodeAbiParameters(POOL_KEY, [currency0, currency1, fee, tickSpacing, hooks]))
}
