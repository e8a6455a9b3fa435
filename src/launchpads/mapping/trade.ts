import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type Decimal, ratio } from '#domain/decimal.ts'
import { tradePrice, WETH_UNIT } from '#domain/prices.ts'
import { sharedCurveOf, type TradeSide } from '#domain/trade.ts'
import { BY_SENDER, quotePrice } from '#launchpads/pools/poolTrade.ts'
import { poolChanged, type ReserveChange, type TokenEvent, type TokenEventOf, type TokenEventPosition } from '#launchpads/tokenEvent.ts'
import { MalformedLogError } from '#launchpads/words.ts'
import {
  decimalsOf,
  type MappedEvent,
  type MappedLog,
  type MappingContext,
  type Reader,
  type Readers,
  requireReader,
  tokenReader,
} from './readers.ts'

/** A trade on the curve. @param fixedSide `null`: the event reports the side */
export function tradeEvent(readers: Readers, context: MappingContext, fixedSide: TradeSide | null): MappedEvent {
  const tokenAndSide = tokenAndSideReader(readers, context, fixedSide)
  const pool = curvePoolReader(readers, context)
  const maker = makerReader(readers)
  const amounts = amountsReader(readers)
  const state = stateReader(readers)
  // Where no event reports the curve's price, it is taken to be that of the last trade.
  const isPricedByTrades = !reportsPrice(readers) && !context.pricedByState

  return {
    decode: mapped => {
      const { log, tokenSource } = mapped
      const { token, side } = tokenAndSide(mapped)
      const at = { ...mapped.at, token }
      const decimals = decimalsOf(context, tokenSource)
      const trade = { side, ...amounts(log, side) }
      const { reserves, price, raised } = state?.(log, decimals) ?? UNKNOWN_STATE
      const address = pool(mapped, token)
      return [
        ...stateEvents(at, address, { reserves, price: isPricedByTrades ? tradePrice(trade, decimals) : price }),
        { ...at, kind: 'trade', pool: address, phase: 'curve', ...trade, ...maker(log) },
        ...progressEvents(at, raised),
      ]
    },
  }
}

type TradeMaker = Pick<TokenEventOf<'trade'>, 'maker' | 'bySender' | 'settlement'>

function makerReader(readers: Readers): (log: ChainLog) => TradeMaker {
  const named = readers.address('maker')
  if (named !== null) return log => ({ maker: named(log) })
  if (readers.choice('maker') === 'sender') return () => BY_SENDER
  const curve = readers.address('curve')
  return log => ({ ...BY_SENDER, settlement: { place: curve?.(log) ?? log.address, by: 'curve' } })
}

type TradeAmounts = Pick<TokenEventOf<'trade'>, 'amountToken' | 'amountQuote' | 'feeQuote'>

/** Reads the tokens, and what the maker paid, fee included, or received, fee deducted. */
function amountsReader(readers: Readers): (log: ChainLog, side: TradeSide) => TradeAmounts {
  const reported = reportedReader(readers)
  const fee = readers.amount('fee')
  if (fee === null) return (log, side) => ({ ...reported(log, side), feeQuote: null })
  const isBeforeFees = readers.choice('quoteAmountIs') === 'beforeFees'
  return (log, side) => {
    const { amountToken, amountQuote: amount } = reported(log, side)
    const feeQuote = fee(log)
    const buy = side === 'buy'
    const amountQuote = buy === isBeforeFees ? amount : buy ? amount + feeQuote : amount - feeQuote
    if (amountQuote < 0n || (buy && feeQuote > amountQuote)) throw new MalformedLogError('the fee is more than the amount')
    return { amountToken, amountQuote, feeQuote }
  }
}

/** Reads the amounts as the event names them: by currency, or by direction. */
function reportedReader(readers: Readers): (log: ChainLog, side: TradeSide) => Omit<TradeAmounts, 'feeQuote'> {
  const [amountIn, amountOut] = [readers.amount('amountIn'), readers.amount('amountOut')]
  if (amountIn !== null && amountOut !== null) {
    return (log, side) =>
      side === 'buy'
        ? { amountToken: amountOut(log), amountQuote: amountIn(log) }
        : { amountToken: amountIn(log), amountQuote: amountOut(log) }
  }
  const [token, quote] = [requireReader(readers.amount('tokenAmount')), requireReader(readers.amount('quoteAmount'))]
  return log => ({ amountToken: token(log), amountQuote: quote(log) })
}

export interface TokenAndSide {
  readonly token: Address
  readonly side: TradeSide
}

/** Reads the token of a trade and its side. @param fixed `null`: the event gives the side */
function tokenAndSideReader(readers: Readers, context: MappingContext, fixed: TradeSide | null): (mapped: MappedLog) => TokenAndSide {
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

/** The state of a curve, in an event apart from its trades. */
export function stateEvent(readers: Readers, context: MappingContext): MappedEvent {
  const token = tokenReader(readers)
  const pool = curvePoolReader(readers, context)
  const state = stateReader(readers)
  return {
    ...(readers.choice('comes') === 'afterTrade' && { followsTrade: true }),
    decode: mapped => {
      const at = { ...mapped.at, token: token(mapped) }
      const { raised, ...fields } = state?.(mapped.log, decimalsOf(context, mapped.tokenSource)) ?? UNKNOWN_STATE
      return [...stateEvents(at, pool(mapped, at.token), fields), ...progressEvents(at, raised)]
    },
  }
}

/** The state of a curve after an event; `null` for what the event does not report. */
export interface CurveState {
  readonly reserves: ReserveChange | null
  /** The price in the unit of `poolChanged`. */
  readonly price: Decimal | null
  readonly raised: bigint | null
}

export const UNKNOWN_STATE: CurveState = { reserves: null, price: null, raised: null }

/** Reads the curve's state from a launch or trade; `null` when the mapping has no field of it. */
export function stateReader(readers: Readers): ((log: ChainLog, decimals: number) => CurveState) | null {
  const price = priceReader(readers)
  const reserves = reservesReader(readers)
  const raised = readers.amount('raised')
  if (price === null && reserves === null && raised === null) return null
  return (log, decimals) => ({
    reserves: reserves?.(log) ?? null,
    price: price?.(log, decimals) ?? null,
    raised: raised?.(log) ?? null,
  })
}

function reportsPrice(readers: Readers): boolean {
  return readers.has('price') || readers.has('virtualQuote')
}

function priceReader(readers: Readers): ((log: ChainLog, decimals: number) => Decimal | null) | null {
  const price = readers.amount('price')
  if (price !== null) return log => ratio(price(log), WETH_UNIT)
  const [quote, token] = [readers.amount('virtualQuote'), readers.amount('virtualToken')]
  if (quote === null || token === null) return null
  return (log, decimals) => quotePrice(quote(log), token(log), decimals)
}

function reservesReader(readers: Readers): Reader<ReserveChange> | null {
  const [token, quote] = [readers.amount('reserveToken'), readers.amount('reserveQuote')]
  if (token === null && quote === null) return null
  return log => ({ mode: 'set', token: token?.(log) ?? null, quote: quote?.(log) ?? null })
}

export function stateEvents(at: TokenEventPosition, pool: Hex, { reserves, price }: Omit<CurveState, 'raised'>): readonly TokenEvent[] {
  return reserves === null && price === null ? [] : [poolChanged(at, pool, { reserves, price })]
}

export function progressEvents(at: TokenEventPosition, raised: bigint | null): readonly TokenEvent[] {
  return raised === null ? [] : [{ ...at, kind: 'curveProgress', raised: { mode: 'set', quote: raised } }]
}

/** Reads the key of the curve that an event of a token is about. */
function curvePoolReader(readers: Readers, { curvePlace }: MappingContext): (mapped: Pick<MappedLog, 'log'>, token: Address) => Hex {
  const named = readers.address('curve')
  switch (curvePlace) {
    case 'own':
      return ({ log }) => named?.(log) ?? log.address
    case 'token':
      return (_, token) => token
    case 'shared':
      return (_, token) => sharedCurveOf(token)
  }
}
