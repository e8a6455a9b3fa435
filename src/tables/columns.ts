import { p } from '@mikro-orm/core'
import type { Address, Hex } from '#domain/address.ts'
import { type Decimal, formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { BIGINT, BOOLEAN, BYTEA, DECIMAL, DOUBLE, INTEGER, NUMERIC, SMALLINT, TEXT } from './binaryArray.ts'
import { ColumnType, type ColumnTypeOptions } from './columnType.ts'
import type { Merge } from './merge.ts'
import { toBytes } from './toBytes.ts'

/** A kind of column: a property of an entity, made for each column anew because MikroORM keeps state in a type. */
function kind<Value>(options: ColumnTypeOptions<Value>) {
  return (merge?: Merge) => p.type(new ColumnType(options, merge)).$type<Value>()
}

const bytes = { postgresType: 'bytea', element: BYTEA, encode: toBytes }
const text = { postgresType: 'text', element: TEXT }
const bigint = { postgresType: 'bigint', element: BIGINT }
const amount = { postgresType: 'numeric', element: NUMERIC, decode: BigInt, encode: String }

/** The kinds of columns. `numeric` has no bounds and is exact; every `bigint` is a safe integer. */
export const column = {
  address: kind<Address>(bytes),
  /** A hash or a Uniswap v4 pool id. */
  hex: kind<Hex>(bytes),
  text: kind<string>(text),
  boolean: kind<boolean>({ postgresType: 'boolean', element: BOOLEAN }),
  smallint: kind<number>({ postgresType: 'smallint', element: SMALLINT }),
  integer: kind<number>({ postgresType: 'integer', element: INTEGER }),
  /** A share in percent or basis points. */
  double: kind<number>({ postgresType: 'double precision', element: DOUBLE }),
  bigint: kind<number>(bigint),
  blockNumber: kind<number>(bigint),
  /** Unix seconds: a time of the chain. */
  seconds: kind<number>(bigint),
  /** Milliseconds since the epoch: a time of a commit. */
  milliseconds: kind<number>(bigint),
  wei: kind<bigint>(amount),
  /** A raw amount of a token, or another whole number of a contract. */
  units: kind<bigint>(amount),
  /** A price, or a value in WETH or USD. */
  decimal: kind<Decimal>({ postgresType: 'numeric', element: DECIMAL, decode: parseDecimal, encode: formatDecimal }),
  /** A text that a check limits to these words. */
  oneOf: <const Word extends string>(name: string, words: readonly Word[], merge?: Merge) =>
    p
      .type(new ColumnType(text, merge))
      .$type<Word>()
      .check(`${name} in (${words.map(word => `'${word}'`).join(', ')})`),
}
