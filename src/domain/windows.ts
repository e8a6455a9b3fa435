import type { WindowAging } from './changes.ts'
import type { Decimal } from './decimal.ts'
import type { PerWindow } from './token.ts'
import type { TradeRow, WindowTotals } from './tokenState.ts'

export type WindowName = keyof PerWindow<unknown>

/** Lengths in seconds. A window holds the trades later than its start: `timestamp > now - length`. */
export const WINDOW_SECONDS: PerWindow<number> = { m5: 300, h1: 3_600, h6: 21_600, h24: 86_400 }

export const WINDOW_NAMES: readonly WindowName[] = ['m5', 'h1', 'h6', 'h24']

export const EMPTY_TOTALS: WindowTotals = { volumeWei: 0n, buys: 0, sells: 0 }

export const EMPTY_AGING: WindowAging = { leaving: EMPTY_TOTALS, oldestAt: null, referencePrice: null }

export function perWindow<T>(value: (name: WindowName) => T): PerWindow<T> {
  return { m5: value('m5'), h1: value('h1'), h6: value('h6'), h24: value('h24') }
}

export interface RolledWindows {
  readonly windows: PerWindow<WindowTotals>
  readonly referencePrice: PerWindow<Decimal | null>
  /** The first Unix second at which a trade leaves a window; `null`: all are empty. */
  readonly windowsExpireAt: number | null
}

type WindowTrade = Pick<TradeRow, 'timestamp' | 'side' | 'amountWei' | 'priceAfterWeth'>

/**
 * Moves a token's windows forward to `now` (Unix seconds of the newest block): what was right at an earlier time, less what the stored
 * trades say has left, plus the new trades that are still inside.
 *
 * @param newTrades not yet stored, in order, none later than `now`
 */
export function rollWindows(
  windows: PerWindow<WindowTotals>,
  aging: PerWindow<WindowAging>,
  newTrades: readonly WindowTrade[],
  now: number,
): RolledWindows {
  const rolled = perWindow(name => rollWindow(windows[name], aging[name], newTrades, now - WINDOW_SECONDS[name]))
  const expiries = WINDOW_NAMES.flatMap(name => {
    const { oldestAt } = rolled[name]
    return oldestAt === null ? [] : [oldestAt + WINDOW_SECONDS[name]]
  })
  return {
    windows: perWindow(name => rolled[name].totals),
    referencePrice: perWindow(name => rolled[name].referencePrice),
    windowsExpireAt: expiries.length === 0 ? null : Math.min(...expiries),
  }
}

function rollWindow(totals: WindowTotals, aging: WindowAging, newTrades: readonly WindowTrade[], start: number) {
  let volumeWei = totals.volumeWei - aging.leaving.volumeWei
  let buys = totals.buys - aging.leaving.buys
  let sells = totals.sells - aging.leaving.sells
  let { oldestAt, referencePrice } = aging
  for (const trade of newTrades) {
    if (trade.timestamp <= start) {
      referencePrice = trade.priceAfterWeth ?? referencePrice
      continue
    }
    oldestAt ??= trade.timestamp
    volumeWei += trade.amountWei ?? 0n
    if (trade.side === 'buy') buys += 1
    else sells += 1
  }
  return { totals: { volumeWei, buys, sells }, oldestAt, referencePrice }
}
