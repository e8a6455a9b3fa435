import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type Decimal, ratio } from '#domain/decimal.ts'
import { WETH_UNIT } from '#domain/weth.ts'
import { quotePrice } from '#launchpads/pools/poolTrade.ts'
import { poolChanged, type ReserveChange, type TokenEvent, type TokenEventPosition } from '#launchpads/tokenEvent.ts'
import type { Reader, Readers } from './readers.ts'

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

export function reportsPrice(readers: Readers): boolean {
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
