import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import { currentPool, type Draft, type TokenDraft } from './draft.ts'

/*
 * A token's `asOfBlock` is the last block that changed a value that the API shows of it: its row, its main pool, a balance, a creator's
 * fees. Anyone can cause events that change nothing, such as transfers of zero, or a pool's report of the same reserves.
 */

/** Copies of a token's row and of its main pool's row before an event. */
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

/** Whether a batch leaves a token as it is stored. */
export function isUnchanged(stored: TokenRow | undefined, token: TokenRow): boolean {
  return stored !== undefined && stored.asOfBlock === token.asOfBlock && haveSameColumns(stored, token)
}

/** Columns that change without a change of a shown value. */
const UNSHOWN: ReadonlySet<string> = new Set<keyof TokenRow | keyof PoolRow>(['asOfBlock', 'windowsAt', 'lastChangedBlock'])

function haveSameColumns<Row extends object>(a: Row | undefined, b: Row | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  for (const column in a) {
    if (a[column] !== b[column] && !UNSHOWN.has(column)) return false
  }
  return true
}
