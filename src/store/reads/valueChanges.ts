import { sql } from 'kysely'
import { parseDecimal } from '#domain/decimal.ts'
import type { ValueChange, ValueMove } from '#resources/crossings.ts'
import { type Prefixed, selectList } from '#store/rows/selectList.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import type { FullTokenRow } from '#tables/token.ts'
import { VALUE_CHANGE, type ValueChangeRow } from '#tables/valueChange.ts'
import { secondsToIso } from './trimScale.ts'

type ShownOfToken = Pick<FullTokenRow, 'address' | 'symbol' | 'name' | 'decimals' | 'imageUrl' | 'launchpad' | 'creator'>

export type SelectedChange = Prefixed<'change', StoredRow<ValueChangeRow>> & ShownOfToken

/** The select list of value changes, whose alias is `event`, and of their tokens. */
export const SELECTED_CHANGE = sql`${selectList(VALUE_CHANGE, 'event', 'change')}, token.address, token.symbol, token.name, token.decimals,
  token.image_url as "imageUrl", token.launchpad, token.creator`

export function toValueChange(row: SelectedChange): ValueChange {
  const { address, symbol, name, decimals, imageUrl, launchpad } = row
  return {
    token: { address, symbol, name, decimals, imageUrl, launchpad },
    timestamp: secondsToIso(row['change.timestamp']),
    values: {
      marketCapWeth: move(row['change.marketCapWethBefore'], row['change.marketCapWeth']),
      marketCapUsd: move(row['change.marketCapUsdBefore'], row['change.marketCapUsd']),
      priceWeth: move(row['change.priceWethBefore'], row['change.priceWeth']),
      priceUsd: move(row['change.priceUsdBefore'], row['change.priceUsd']),
      graduationPercent: move(row['change.graduationPercentBefore'], row['change.graduationPercent']),
      holders: move(row['change.holdersBefore'], row['change.holders']),
    },
  }
}

function move(before: string | number | null, after: string | number | null): ValueMove {
  return { before: decimalOf(before), after: decimalOf(after) }
}

function decimalOf(stored: string | number | null) {
  return stored === null ? null : parseDecimal(String(stored))
}
