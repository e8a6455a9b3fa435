import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type Decimal, powerOfTen, ratio } from '#domain/decimal.ts'
import { poolChanged } from '#launchpads/poolChanged.ts'
import type { EventPosition, ReserveChange, TokenEvent } from '#launchpads/tokenEvent.ts'
import { isWethQuoted, type MappingContext } from './context.ts'
import type { Reader, Readers } from './readers.ts'

const WETH_UNIT = 10n ** 18n

export interface CurveState {
  readonly reserves: ReserveChange | null
  /** WETH per whole token; `null`: the event does not say. */
  readonly priceWeth: Decimal | null
  readonly raisedWei: bigint | null
}

export const UNKNOWN_STATE: CurveState = { reserves: null, priceWeth: null, raisedWei: null }

/** Reads what a launch or trade says of the curve after it; `null` when it says nothing at all. */
export function stateReader(readers: Readers, context: MappingContext): ((log: ChainLog, decimals: number) => CurveState) | null {
  const price = priceReader(readers, context)
  const reserves = reservesReader(readers)
  const raised = isWethQuoted(context) ? readers.amount('raised') : null
  if (price === null && reserves === null && raised === null) return null
  return (log, decimals) => ({
    reserves: reserves?.(log) ?? null,
    priceWeth: price?.(log, decimals) ?? null,
    raisedWei: raised?.(log) ?? null,
  })
}

/** Whether a mapping's events say what the price is after them. */
export function tellsPrice(readers: Readers): boolean {
  return readers.has('price') || readers.has('virtualQuote')
}

function priceReader(readers: Readers, context: MappingContext): ((log: ChainLog, decimals: number) => Decimal | null) | null {
  if (!isWethQuoted(context)) return null
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

/** The events that bring a curve's row up to what an event says of it. */
export function poolChange(
  at: EventPosition & { readonly token: Address },
  pool: Hex,
  { reserves, priceWeth }: Pick<CurveState, 'reserves' | 'priceWeth'>,
): readonly TokenEvent[] {
  if (reserves === null && priceWeth === null) return []
  return [poolChanged(at, pool, { reserves, priceWeth })]
}

export function progress(at: EventPosition & { readonly token: Address }, raisedWei: bigint | null): readonly TokenEvent[] {
  return raisedWei === null ? [] : [{ ...at, kind: 'curveProgress', raised: { mode: 'set', wei: raisedWei } }]
}
