import type { Hex } from './address.ts'
import type { Decimal } from './decimal.ts'
import type { PerWindow } from './token.ts'
import type { TradeSide } from './trade.ts'

export type WindowName = keyof PerWindow<unknown>

/** Lengths in seconds. A window holds the trades after its start: `timestamp > now - length`. */
export const WINDOW_SECONDS: PerWindow<number> = { m5: 300, h1: 3_600, h6: 21_600, h24: 86_400 }

export const WINDOW_NAMES: readonly WindowName[] = ['m5', 'h1', 'h6', 'h24']

export interface WindowTotals {
  readonly volumeWei: bigint
  readonly buys: number
  readonly sells: number
}

/** How a window changes that moves from the time of its totals to now. */
export interface WindowAging {
  /** The trades that were in the window and no longer are. */
  readonly leaving: WindowTotals
  /** The oldest trade that is still in the window; `null`: none. */
  readonly oldestAt: number | null
  /** The last trade before the window with a price; `null`: there is none. */
  readonly reference: WindowReference | null
}

/** The market's price after a trade. */
export interface WindowReference {
  readonly priceWeth: Decimal
  readonly timestamp: number
  readonly pool: Hex
}

export const EMPTY_TOTALS: WindowTotals = { volumeWei: 0n, buys: 0, sells: 0 }

export const EMPTY_AGING: WindowAging = { leaving: EMPTY_TOTALS, oldestAt: null, reference: null }

export function perWindow<T>(value: (name: WindowName) => T): PerWindow<T> {
  return { m5: value('m5'), h1: value('h1'), h6: value('h6'), h24: value('h24') }
}

export interface RolledWindows {
  readonly windows: PerWindow<WindowTotals>
  readonly reference: PerWindow<WindowReference | null>
  /** The first Unix second at which a trade leaves a window; `null`: all are empty. */
  readonly windowsExpireAt: number | null
}

interface WindowTrade {
  readonly pool: Hex
  readonly timestamp: number
  readonly side: TradeSide
  readonly amountWei: bigint | null
  readonly priceAfterWeth: Decimal | null
}

/**
 * Moves a token's windows forward to `now` (Unix seconds): their totals, less the stored trades that have left, plus the new trades.
 *
 * @param newTrades not yet stored, in order, none later than `now`
 */
export function rollWindows(
  windows: PerWindow<WindowTotals>,
  aging: PerWindow<WindowAging>,
  newTrades: readonly WindowTrade[],
  now: number,
): RolledWindows {
  const added = newTrades.reduce(addTrade, EMPTY_TOTALS)
  const aged = perWindow(name => ageWindow(aging[name], newTrades, { after: Number.NEGATIVE_INFINITY, start: now - WINDOW_SECONDS[name] }))
  const expiries = WINDOW_NAMES.map(name => (aged[name].oldestAt ?? Number.POSITIVE_INFINITY) + WINDOW_SECONDS[name])
  const soonest = Math.min(...expiries)
  return {
    windows: perWindow(name => {
      const { leaving } = aged[name]
      return {
        volumeWei: windows[name].volumeWei + added.volumeWei - leaving.volumeWei,
        buys: windows[name].buys + added.buys - leaving.buys,
        sells: windows[name].sells + added.sells - leaving.sells,
      }
    }),
    reference: perWindow(name => aged[name].reference),
    windowsExpireAt: soonest === Number.POSITIVE_INFINITY ? null : soonest,
  }
}

/**
 * Takes later trades into a window's aging. The statement of `loadRows.ts` computes the same from stored trades.
 *
 * @param trades in order, later than those that the aging is of
 * @param moved `start` is the window's start now; the window's totals hold the trades after `after`
 */
export function ageWindow(
  aging: WindowAging,
  trades: readonly WindowTrade[],
  { after, start }: { readonly after: number; readonly start: number },
): WindowAging {
  let { leaving, oldestAt, reference } = aging
  for (const trade of trades) {
    if (trade.timestamp > start) {
      oldestAt ??= trade.timestamp
      continue
    }
    const { priceAfterWeth: priceWeth, timestamp, pool } = trade
    if (priceWeth !== null) reference = { priceWeth, timestamp, pool }
    if (trade.timestamp > after) leaving = addTrade(leaving, trade)
  }
  return { leaving, oldestAt, reference }
}

function addTrade({ volumeWei, buys, sells }: WindowTotals, { amountWei, side }: WindowTrade): WindowTotals {
  return { volumeWei: volumeWei + (amountWei ?? 0n), buys: buys + (side === 'buy' ? 1 : 0), sells: sells + (side === 'sell' ? 1 : 0) }
}

/** `volumeM5` */
type WindowField<Name extends string> = `${Name}${Uppercase<WindowName>}`

function windowField<const Name extends string>(name: Name, window: WindowName): WindowField<Name> {
  return `${name}${window.toUpperCase() as Uppercase<WindowName>}`
}

export const WINDOW_FIELDS = perWindow(window => ({
  volume: windowField('volume', window),
  buys: windowField('buys', window),
  sells: windowField('sells', window),
  referencePrice: windowField('referencePrice', window),
  priceChange: windowField('priceChange', window),
}))

export function windowFields<const Name extends string, T>(name: Name, value: () => T): Record<WindowField<Name>, T> {
  return Object.fromEntries(WINDOW_NAMES.map(window => [windowField(name, window), value()])) as Record<WindowField<Name>, T>
}
