import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { sharedCurveOf } from '#domain/sharedCurve.ts'
import type { MappedLog, MappingContext } from './context.ts'
import { type Reader, type Readers } from './readers.ts'

/** Reads the field `quoteToken`, with WETH for ETH; `null` where the mapping leaves it out. */
export function quoteTokenReader(readers: Readers, { weth }: MappingContext): Reader<Address> | null {
  if (readers.choice('quoteToken') === 'weth') return () => weth
  const named = readers.address('quoteToken')
  if (named === null) return null
  return log => {
    const currency = named(log)
    return currency === ZERO_ADDRESS ? weth : currency
  }
}

/** The currency of a token's curve, as far as the mapping's rules let it be unknown to the event. */
export function curveCurrency(
  token: Address,
  { tokenSource, lookup }: Pick<MappedLog, 'tokenSource' | 'lookup'>,
  { quotePerLaunch, quoteToken }: MappingContext,
): Address {
  if (!quotePerLaunch) return quoteToken
  const curve = tokenSource ?? lookup(sharedCurveOf(token))
  return curve !== undefined && 'pool' in curve ? curve.pool.quoteToken : quoteToken
}
