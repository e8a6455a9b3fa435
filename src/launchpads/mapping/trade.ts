import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { TradeSide } from '#domain/trade.ts'
import { tradePrice } from '#domain/tradePrice.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import { decimalsOf, type MappedEvent, type MappedLog, type MappingContext, tokenReader } from './context.ts'
import { progressEvents, reportsPrice, stateEvents, stateReader, UNKNOWN_STATE } from './curveState.ts'
import { type Reader, type Readers, requireReader, sharedCurveOf } from './readers.ts'

/** A trade on the curve. @param fixedSide `null`: the event reports the side */
export function tradeEvent(readers: Readers, context: MappingContext, fixedSide: TradeSide | null): MappedEvent {
  const token = tokenReader(readers)
  const pool = poolReader(readers, context)
  const maker = requireReader(readers.address('maker'))
  const amountToken = requireReader(readers.amount('tokenAmount'))
  const amounts = amountsReader(readers)
  const side = sideReader(readers, fixedSide)
  const state = stateReader(readers)
  // Where no event reports the curve's price, it is taken to be that of the last trade.
  const isPricedByTrades = !reportsPrice(readers)

  return {
    decode: mapped => {
      const { log, tokenSource } = mapped
      const at = { ...mapped.at, token: token(mapped) }
      const decimals = decimalsOf(context, tokenSource)
      const direction = side(log)
      const trade = { side: direction, amountToken: amountToken(log), ...amounts(log, direction) }
      const { reserves, price, raised } = state?.(log, decimals) ?? UNKNOWN_STATE
      const address = pool(mapped, at.token)
      return [
        ...stateEvents(at, address, { reserves, price: isPricedByTrades ? tradePrice(trade, decimals) : price }),
        { ...at, kind: 'trade', pool: address, phase: 'curve', maker: maker(log), ...trade },
        ...progressEvents(at, raised),
      ]
    },
  }
}

function poolReader(readers: Readers, { curvePlace }: MappingContext): (mapped: MappedLog, token: Address) => Hex {
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

type TradeAmounts = Pick<TokenEventOf<'trade'>, 'amountQuote' | 'feeQuote'>

/** Reads what the maker paid, fee included, or received, fee deducted. */
function amountsReader(readers: Readers): (log: ChainLog, side: TradeSide) => TradeAmounts {
  const amount = requireReader(readers.amount('quoteAmount'))
  const fee = readers.amount('fee')
  if (fee === null) return log => ({ amountQuote: amount(log), feeQuote: null })
  const isBeforeFees = readers.choice('quoteAmountIs') === 'beforeFees'
  return (log, side) => {
    const [reported, feeQuote] = [amount(log), fee(log)]
    const buy = side === 'buy'
    const amountQuote = buy === isBeforeFees ? reported : buy ? reported + feeQuote : reported - feeQuote
    if (amountQuote < 0n || (buy && feeQuote > amountQuote)) throw new MalformedLogError('the fee is more than the amount')
    return { amountQuote, feeQuote }
  }
}

function sideReader(readers: Readers, fixed: TradeSide | null): Reader<TradeSide> {
  if (fixed !== null) return () => fixed
  const isBuy = readers.flag('isBuy')
  if (isBuy !== null) return log => (isBuy(log) ? 'buy' : 'sell')
  const isSell = requireReader(readers.flag('isSell'))
  return log => (isSell(log) ? 'sell' : 'buy')
}
