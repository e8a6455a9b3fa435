import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { TradeSide } from '#domain/trade.ts'
import { tradePrice } from '#domain/tradePrice.ts'
import { MalformedLogError } from '#launchpads/words.ts'
import { decimalsOf, isWethQuoted, type MappedEvent, type MappedLog, type MappingContext, tokenReader } from './context.ts'
import { poolChange, progress, stateReader, tellsPrice, UNKNOWN_STATE } from './curveState.ts'
import { required } from './launch.ts'
import { type Reader, type Readers, sharedCurveOf } from './readers.ts'

/** A trade on the curve. @param fixedSide of an event that tells of one side only */
export function tradeEvent(readers: Readers, context: MappingContext, fixedSide: TradeSide | null): MappedEvent {
  const token = tokenReader(readers)
  const pool = poolReader(readers, context)
  const maker = required(readers.address('maker'))
  const amountToken = required(readers.amount('tokenAmount'))
  const amounts = amountsReader(readers, context)
  const side = sideReader(readers, fixedSide)
  const state = stateReader(readers, context)
  // The next best to what the curve says of its price is what was last paid on it.
  const isPricedByTrades = !tellsPrice(readers)

  return {
    decode: mapped => {
      const { log, source } = mapped
      const at = { ...mapped.at, token: token(mapped) }
      const decimals = decimalsOf(context, source)
      const direction = side(log)
      const trade = { side: direction, amountToken: amountToken(log), ...amounts(log, direction) }
      const { reserves, priceWeth, raisedWei } = state?.(log, decimals) ?? UNKNOWN_STATE
      const price = isPricedByTrades ? tradePrice(trade, decimals) : priceWeth
      const address = pool(mapped, at.token)
      return [
        ...poolChange(at, address, { reserves, priceWeth: price }),
        { ...at, kind: 'trade', pool: address, phase: 'curve', maker: maker(log), ...trade },
        ...progress(at, raisedWei),
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

interface Amounts {
  readonly amountWei: bigint | null
  readonly feeWei: bigint | null
}

/** What the maker paid, fee included, or received, fee taken off. */
function amountsReader(readers: Readers, context: MappingContext): (log: ChainLog, side: TradeSide) => Amounts {
  const amount = required(readers.amount('quoteAmount'))
  const fee = readers.amount('fee')
  if (!isWethQuoted(context)) return () => ({ amountWei: null, feeWei: null })
  if (fee === null) return log => ({ amountWei: amount(log), feeWei: null })
  const isBefore = readers.word('quoteAmountIs') === 'beforeFees'
  return (log, side) => {
    const [told, feeWei] = [amount(log), fee(log)]
    const buy = side === 'buy'
    const amountWei = buy === isBefore ? told : buy ? told + feeWei : told - feeWei
    if (amountWei < 0n || (buy && feeWei > amountWei)) throw new MalformedLogError('the fee is more than the amount')
    return { amountWei, feeWei }
  }
}

function sideReader(readers: Readers, fixed: TradeSide | null): Reader<TradeSide> {
  if (fixed !== null) return () => fixed
  const isBuy = readers.flag('isBuy')
  if (isBuy !== null) return log => (isBuy(log) ? 'buy' : 'sell')
  const isSell = required(readers.flag('isSell'))
  return log => (isSell(log) ? 'sell' : 'buy')
}
