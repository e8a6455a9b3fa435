import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { percentOf, shareOf } from '#domain/decimal.ts'
import { EARLY_CLASSES, HELD_FIELDS } from '#domain/earlyWallets.ts'
import type { EarlyWallets } from '#resources/earlyWallets.ts'
import type { Token } from '#resources/token.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { selectList } from '#store/rows/selectList.ts'
import { EARLY_CLASS, type EarlyClassRow } from '#tables/earlyClass.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import type { FullTokenRow } from '#tables/token.ts'
import { readAsOf } from './asOf.ts'

/** The columns of a token's row about its early classes. */
export type HeldRow = StoredRow<Pick<FullTokenRow, 'totalSupply' | (typeof HELD_FIELDS)[keyof typeof HELD_FIELDS]>>

type ClassRow = HeldRow & (StoredRow<EarlyClassRow> | { readonly class: null })

/** The sums of each early class of a token, which commits keep: at most four rows. `null`: the token is not indexed. */
export async function readEarlyWallets(db: Queryable, token: Address): Promise<EarlyWallets | null> {
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<ClassRow>`
    select token.total_supply as "totalSupply", token.creator_held as "creatorHeld", token.sniper_held as "sniperHeld",
      token.bundler_held as "bundlerHeld", token.insider_held as "insiderHeld", ${selectList(EARLY_CLASS)}
    from token left join early_class on early_class.token = token.address where token.address = ${toBytes(token)}`,
  )
  const [first] = rows
  if (first === undefined || asOfBlock === null) return null
  const supply = BigInt(first.totalSupply)
  const isKnown = first.creatorHeld !== null
  const classes = EARLY_CLASSES.map(name => {
    const sums = rows.find(row => row.class === name)
    const { wallets, boughtToken, soldToken } = sums === undefined || sums.class === null ? NOBODY : sums
    return {
      class: name,
      // The creator counts even if it never held any of the token.
      wallets: isKnown ? Math.max(wallets, name === 'creator' ? 1 : 0) : null,
      boughtPercent: isKnown ? shareOf(BigInt(boughtToken), supply) : null,
      heldPercent: heldPercent(first, name),
      soldPercent: isKnown ? shareOf(BigInt(soldToken), supply) : null,
    }
  })
  return { token, asOfBlock, classes }
}

const NOBODY = { wallets: 0, boughtToken: '0', soldToken: '0' }

/** The present holdings of each class, in percent of the supply. */
export function toEarly(row: HeldRow): Token['early'] {
  return {
    sniperPercent: heldPercent(row, 'sniper'),
    bundlerPercent: heldPercent(row, 'bundler'),
    insiderPercent: heldPercent(row, 'insider'),
    creatorPercent: heldPercent(row, 'creator'),
  }
}

function heldPercent(row: HeldRow, name: keyof typeof HELD_FIELDS): number | null {
  const held = row[HELD_FIELDS[name]]
  return held === null ? null : percentOf(BigInt(held), BigInt(row.totalSupply))
}
