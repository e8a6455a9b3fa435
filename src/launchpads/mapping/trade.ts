import type { ChainLog } from '#domain/block.ts'
import type { TradeSide } from '#domain/trade.ts'
import { tradePrice } from '#domain/tradePrice.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { BY_SENDER } from '#launchpads/pools/poolTrade.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import { decimalsOf, type MappedEvent, type MappingContext } from './context.ts'
import { curvePoolReader } from './curvePool.ts'
import { progressEvents, reportsPrice, stateEvents, stateReader, UNKNOWN_STATE } from './curveState.ts'
import { type Readers, requireReader } from './readers.ts'
import { tokenAndSideReader } from './tradeSide.ts'

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
