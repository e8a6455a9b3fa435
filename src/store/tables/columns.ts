import { p } from '@mikro-orm/core'
import type { Address, Hex } from '#domain/address.ts'
import { HexType } from './hexType.ts'

/** An address column. */
export const address = () => p.type(HexType).$type<Address>()

/** A column of a hash or pool id. */
export const hex = () => p.type(HexType).$type<Hex>()

/** An exact amount, price or value of any size, as PostgreSQL prints it; never a float. */
export const numeric = () => p.decimal().columnType('numeric')

/** Block numbers, times and sequences: `bigint` columns whose values are safe integers. */
export const safeInteger = () => p.bigint('number')

/** A share in percent or basis points. */
export const double = () => p.double().columnType('double precision')

/** A text column that a check limits to these words. */
export function oneOf<const Word extends string>(column: string, words: readonly Word[]) {
  return p
    .text()
    .$type<Word>()
    .check(`${column} in (${words.map(word => `'${word}'`).join(', ')})`)
}
