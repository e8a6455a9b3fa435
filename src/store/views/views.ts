import { HOLDERS, TRADERS } from './balances.ts'
import { CANDLES } from './candles.ts'
import { LAUNCHPADS } from './launchpads.ts'
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

/** What `npm run db:views` makes views of. */
export const VIEWS: readonly View[] = [...Object.values(EXPORTED), LAUNCHPADS]

/**
 * The version of the views, a part of what a version of the service promises: it rises when a column goes or changes its meaning. New
 * columns and views do not change it.
 */
export const VIEWS_VERSION = 1
