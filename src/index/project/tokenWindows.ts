import { type Decimal, percentChange } from '#domain/decimal.ts'
import type { PerWindow } from '#domain/token.ts'
import { perWindow, type RolledWindows, WINDOW_FIELDS, WINDOW_NAMES, type WindowTotals } from '#domain/windows.ts'
import type { TokenRow } from '#tables/token.ts'
import type { TokenDraft } from './draft.ts'

export function windowTotals(token: TokenRow): PerWindow<WindowTotals> {
  return perWindow(window => {
    const { volume, buys, sells } = WINDOW_FIELDS[window]
    return { volumeWei: token[volume], buys: token[buys], sells: token[sells] }
  })
}

/** Sets what follows from rolled windows. The token's prices are up to date already. */
export function setWindows(token: TokenDraft, { windows, referencePrice, windowsExpireAt }: RolledWindows): void {
  for (const window of WINDOW_NAMES) {
    const fields = WINDOW_FIELDS[window]
    const { volumeWei, buys, sells } = windows[window]
    token[fields.volume] = volumeWei
    token[fields.buys] = buys
    token[fields.sells] = sells
    token[fields.referencePrice] = referencePrice[window]
    token[fields.priceChange] = changeFrom(referencePrice[window] ?? token.firstPriceWeth, token.priceWeth)
  }
  token.windowsExpireAt = windowsExpireAt
}

function changeFrom(before: Decimal | null, now: Decimal | null): number | null {
  return before === null || now === null ? null : percentChange(before, now)
}
