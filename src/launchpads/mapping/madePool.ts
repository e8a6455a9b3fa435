import { encodeAbiParameters, encodePacked, getCreate2Address, keccak256, parseAbiParameters } from 'viem/utils'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { PoolMapping } from './schema.ts'

const V3_TERMS = parseAbiParameters('address, address, uint24')
const SPACING_TERMS = parseAbiParameters('address, address, int24')
/** Uniswap counts fees in hundredths of a basis point. */
const PIPS_PER_BPS = 100

/**
 * The address of the pool that a factory makes of two currencies, in either order: by EIP-1014, from the salt of Uniswap's v2 and v3
 * factories (UniswapV2Factory.sol, UniswapV3PoolDeployer.sol), which their forks have kept. Slipstream's (CLFactory.sol) has the tick
 * spacing in the fee's place.
 *
 * @param feeBps of a v3 pool; `null`: a v2 pair, or a pool that its tick spacing tells
 */
export function madePool(
  { factory, codeHash, tickSpacing }: PoolMapping,
  currencies: readonly [Address, Address],
  feeBps: number | null,
): Address {
  const [first, second] = currencies.toSorted() as [Address, Address]
  const packed = () =>
    feeBps === null
      ? encodePacked(['address', 'address'], [first, second])
      : encodeAbiParameters(V3_TERMS, [first, second, Math.round(feeBps * PIPS_PER_BPS)])
  const salt = keccak256(tickSpacing === undefined ? packed() : encodeAbiParameters(SPACING_TERMS, [first, second, tickSpacing]))
  return toAddress(getCreate2Address({ from: toAddress(factory), salt, bytecodeHash: codeHash as Hex }))
}
