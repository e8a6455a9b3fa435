import { HOLDERS, TRADERS } from './balances.ts'
import { CANDLES } from './candles.ts'
import { LAUNCHPADS } from './launchpads.ts'
import { TOKENS } from './tokens.ts'
import { TRADES } from './trades.ts'
import type { View } from './view.ts'

/** The views that `npm run export` writes, by their names. */
export const EXPORTED = {
  trades: TRADES,
  tokens: TOKENS,
  holders: HOLDERS,
  candles: CANDLES,
  traders: TRADERS,
} as const satisfies Readonly<Record<string, View>>

export type ExportName = keyof typeof EXPORTED

/** The views that `npm run db:views` creates. */
export const VIEWS: readonly View[] = [...Object.values(EXPORTED), LAUNCHPADS]

/**
 * The version of the views, which a release promises to keep: it rises when a column is removed or changes its meaning. New columns and
 * views do not change it.
 */
export const VIEWS_VERSION = 1
