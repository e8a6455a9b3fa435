import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import { currentPool, type Draft, type TokenDraft } from './draft.ts'

/*
 * A token's `asOfBlock` is the last block that changed what is shown of it: its row, its main pool, a balance, a creator's account. Anyone
 * can send a token's contract transfers of zero, or have a pool report the reserves that it had: such events change nothing.
 */

/** Copies of a token's row and its main pool's, as they are before an event. */
export interface ShownState {
  readonly token: TokenRow
  readonly pool: PoolRow | undefined
}

export function shownState(draft: Draft, token: TokenDraft): ShownState {
  const pool = currentPool(draft, token.mainPool)
  return { token: { ...token }, pool: pool === undefined ? undefined : { ...pool } }
}

export function isShownAlike(before: ShownState, draft: Draft, token: TokenDraft): boolean {
  return haveSameColumns(before.token, token) && haveSameColumns(before.pool, currentPool(draft, token.mainPool))
}

/** Whether a batch leaves a token as it was stored. */
export function isUnchanged(stored: TokenRow | undefined, token: TokenRow): boolean {
  return stored !== undefined && stored.asOfBlock === token.asOfBlock && haveSameColumns(stored, token)
}

/** When a row was looked at or changed last is not shown. */
const UNSHOWN: ReadonlySet<string> = new Set<keyof TokenRow | keyof PoolRow>(['asOfBlock', 'windowsAt', 'lastChangedBlock'])

function haveSameColumns<Row extends object>(a: Row | undefined, b: Row | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  for (const column in a) {
    if (a[column] !== b[column] && !UNSHOWN.has(column)) return false
  }
  return true
}
