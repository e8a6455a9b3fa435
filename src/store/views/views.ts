import { HOLDERS, TRADERS } from './balances.ts'
import { CANDLES } from './candles.ts'
import { TOKENS } from './tokens.ts'
import { TRADES } from './trades.ts'
import type { View } from './view.ts'

/** By their names: what `npm run export` writes. */
export const EXPORTED = {
  trades: TRADES,
  tokens: TOKENS,
  holders: HOLDERS,
  candles: CANDLES,
  traders: TRADERS,
} as const satisfies Readonly<Record<string, View>>

export type ExportName = keyof typeof EXPORTED
