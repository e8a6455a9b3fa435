import type { Address } from '#domain/address.ts'
import { sharedCurveOf } from '#domain/sharedCurve.ts'
import type { TradeSide } from '#domain/trade.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { type MappedLog, type MappingContext, tokenReader } from './context.ts'
import { type Readers, requireReader } from './readers.ts'

export interface TokenAndSide {
  readonly token: Address
  readonly side: TradeSide
}

/** Reads the token of a trade and its side. @param fixed `null`: the event gives the side */
export function tokenAndSideReader(
  readers: Readers,
  context: MappingContext,
  fixed: TradeSide | null,
): (mapped: MappedLog) => TokenAndSide {
  if (fixed === null && readers.has('tokenIn')) return currenciesReader(readers, context)
  const token = tokenReader(readers)
  const side = flaggedSideReader(readers, fixed)
  return mapped => ({ token: token(mapped), side: side(mapped) })
}

function flaggedSideReader(readers: Readers, fixed: TradeSide | null): (mapped: MappedLog) => TradeSide {
  if (fixed !== null) return () => fixed
  const isBuy = readers.flag('isBuy')
  if (isBuy !== null) return ({ log }) => (isBuy(log) ? 'buy' : 'sell')
  const isSell = requireReader(readers.flag('isSell'))
  return ({ log }) => (isSell(log) ? 'sell' : 'buy')
}

/** Reads the side and, where no field and no emitter names it the token, by the currencies that went in and came out. */
function currenciesReader(readers: Readers, context: MappingContext): (mapped: MappedLog) => TokenAndSide {
  const currencyIn = requireReader(readers.address('tokenIn'))
  const currencyOut = readers.address('tokenOut')
  const isNamed = readers.has('token')
  const named = tokenReader(readers)
  return mapped => {
    const [into, out] = [currencyIn(mapped.log), currencyOut?.(mapped.log)]
    const token = isNamed || mapped.tokenSource !== null || out === undefined ? named(mapped) : tradedOf(into, out, mapped, context)
    if (into === token) return { token, side: 'sell' }
    if (out !== undefined && out !== token) throw new MalformedLogError('neither currency of the trade is the token')
    return { token, side: 'buy' }
  }
}

/** Which of two currencies is the token of a trade. Where both are tokens of the launchpad, the other one is what the curve is paid in. */
function tradedOf(into: Address, out: Address, { lookup }: Pick<MappedLog, 'lookup'>, { launchpad }: MappingContext): Address {
  const isToken = (currency: Address) => {
    const source = lookup(currency)
    return (source?.role === 'token' || source?.role === 'tokenCurve') && source.launchpad === launchpad
  }
  const isPaidIn = (currency: Address, other: Address) => {
    const curve = lookup(sharedCurveOf(currency))
    return curve?.role === 'pool' && curve.pool.quoteToken === other
  }
  const candidates = [
    { token: into, other: out },
    { token: out, other: into },
  ].filter(({ token, other }) => isToken(token) && (!isToken(other) || isPaidIn(token, other)))
  const [found, ...others] = candidates
  if (found === undefined || others.length > 0) throw new MalformedLogError('expected a token of the launchpad and what it is paid in')
  return found.token
}
