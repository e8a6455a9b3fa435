import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type Decimal, powerOfTen, ratio } from '#domain/decimal.ts'
import { poolChanged, type ReserveChange, type TokenEvent, type TokenEventPosition } from '#launchpads/tokenEvent.ts'
import type { MappingContext } from './context.ts'
import type { Reader, Readers } from './readers.ts'

const WETH_UNIT = 10n ** 18n

/** The state of a curve after an event; `null` for what the event does not report. */
export interface CurveState {
  readonly reserves: ReserveChange | null
  readonly priceWeth: Decimal | null
  readonly raisedWei: bigint | null
}

export const UNKNOWN_STATE: CurveState = { reserves: null, priceWeth: null, raisedWei: null }

/** Reads the curve's state from a launch or trade; `null` when the mapping has no field of it. */
export function stateReader(readers: Readers, context: MappingContext): ((log: ChainLog, decimals: number) => CurveState) | null {
  const price = priceReader(readers, context)
  const reserves = reservesReader(readers)
  const raised = context.isEtherQuoted ? readers.amount('raised') : null
  if (price === null && reserves === null && raised === null) return null
  return (log, decimals) => ({
    reserves: reserves?.(log) ?? null,
    priceWeth: price?.(log, decimals) ?? null,
    raisedWei: raised?.(log) ?? null,
  })
}

export function reportsPrice(readers: Readers): boolean {
  return readers.has('price') || readers.has('virtualQuote')
}

function priceReader(readers: Readers, context: MappingContext): ((log: ChainLog, decimals: number) => Decimal | null) | null {
  if (!context.isEtherQuoted) return null
  const price = readers.amount('price')
  if (price !== null) return log => ratio(price(log), WETH_UNIT)
  const [quote, token] = [readers.amount('virtualQuote'), readers.amount('virtualToken')]
  if (quote === null || token === null) return null
  return (log, decimals) => ratio(quote(log) * powerOfTen(decimals), token(log) * WETH_UNIT)
}

function reservesReader(readers: Readers): Reader<ReserveChange> | null {
  const [token, quote] = [readers.amount('reserveToken'), readers.amount('reserveQuote')]
  if (token === null && quote === null) return null
  return log => ({ mode: 'set', token: token?.(log) ?? null, quote: quote?.(log) ?? null })
}

export function stateEvents(
  at: TokenEventPosition,
  pool: Hex,
  { reserves, priceWeth }: Omit<CurveState, 'raisedWei'>,
): readonly TokenEvent[] {
  return reserves === null && priceWeth === null ? [] : [poolChanged(at, pool, { reserves, priceWeth })]
}

export function progressEvents(at: TokenEventPosition, raisedWei: bigint | null): readonly TokenEvent[] {
  return raisedWei === null ? [] : [{ ...at, kind: 'curveProgress', raised: { mode: 'set', wei: raisedWei } }]
}
