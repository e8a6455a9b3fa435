import { p, Type, UnderscoreNamingStrategy } from '@mikro-orm/core'
import type { Address, Hex } from '#domain/address.ts'
import { type Decimal, formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { BIGINT, BOOLEAN, BYTEA, DECIMAL, DOUBLE, type ElementType, INTEGER, NUMERIC, SMALLINT, TEXT } from './binaryArray.ts'

/** Hex with `0x` as a `bytea` parameter. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

/** The SQL of a column's value after an insert has met a stored row of the same key, from the stored and the inserted value. */
export type Merge = (stored: string, inserted: string) => string

export const keepFirst: Merge = (stored, inserted) => `coalesce(${stored}, ${inserted})`
export const keepLast: Merge = (stored, inserted) => `coalesce(${inserted}, ${stored})`
// PostgreSQL's `greatest` and `least` ignore nulls, and so does `sum`.
export const greatest: Merge = (stored, inserted) => `greatest(${stored}, ${inserted})`
export const least: Merge = (stored, inserted) => `least(${stored}, ${inserted})`
export const sum: Merge = (stored, inserted) => `coalesce(${stored} + ${inserted}, ${stored}, ${inserted})`

interface ColumnTypeOptions<Value> {
  /** The type as PostgreSQL names it. */
  readonly postgresType: string
  /** How an insert writes the values, as elements of one binary array per column. */
  readonly element: ElementType<Value>
  /** Turns what the driver returns into the value. Default: the driver returns the value itself (`orm.ts`). */
  readonly decode?: (stored: string) => Value
  /** Turns the value into a parameter of a statement. Default: the driver takes the value itself. */
  readonly encode?: (value: Value) => unknown
}

/** A column's declaration and conversions, for MikroORM and for `tableOf`. It has no private fields, which MikroORM's copies would lack. */
export class ColumnType<Value> extends Type<Value | null | undefined, unknown> {
  readonly options: ColumnTypeOptions<Value>
  readonly merge: Merge

  /** @param merge default: the inserted value replaces the stored one */
  constructor(options: ColumnTypeOptions<Value>, merge: Merge = (_stored, inserted) => inserted) {
    super()
    this.options = options
    this.merge = merge
  }

  override getColumnType(): string {
    return this.options.postgresType
  }

  override convertToJSValue(stored: unknown): Value | null | undefined {
    const { decode } = this.options
    // MikroORM passes the parameters of a look-up by primary key through here, too.
    if (Buffer.isBuffer(stored)) return `0x${stored.toString('hex')}` as Value
    return (decode === undefined || stored === null || stored === undefined ? stored : decode(stored as string)) as Value | null
  }

  override convertToDatabaseValue(value: Value | null | undefined): unknown {
    const { encode } = this.options
    return encode === undefined || value === null || value === undefined ? value : encode(value)
  }
}

/** A kind of column, which makes a new property for each column because MikroORM keeps state in a type. */
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
  /** Exceeds a signed 32-bit integer: public chains have logs with an index of 0xffffffe2. */
  logIndex: kind<number>(bigint),
  /** A time of the chain in Unix seconds. */
  seconds: kind<number>(bigint),
  /** A time of the database's clock in Unix milliseconds. */
  milliseconds: kind<number>(bigint),
  wei: kind<bigint>(amount),
  /** A raw amount of a token, or another whole number of a contract. */
  units: kind<bigint>(amount),
  /** A price, or a value in WETH or USD. */
  decimal: kind<Decimal>({ postgresType: 'numeric', element: DECIMAL, decode: parseDecimal, encode: formatDecimal }),
  /** A text that a check constraint limits to these words. */
  oneOf: <const Word extends string>(name: string, words: readonly Word[], merge?: Merge) =>
    p
      .type(new ColumnType(text, merge))
      .$type<Word>()
      .check(`${name} in (${words.map(word => `'${word}'`).join(', ')})`),
}

export type RowOf<Properties> = { readonly [Field in keyof Properties]: FieldOf<Properties[Field]> }

type FieldOf<Property> = Property extends { '~type'?: { value: infer Value }; '~options': infer Options }
  ? Options extends { nullable: true }
    ? Value | null
    : Value
  : never

/** A row as the driver returns it: its `numeric` columns are text, which `Table.decode` turns into numbers. */
export type StoredRow<Row> = { readonly [Field in keyof Row]: StoredField<Row[Field]> }

type StoredField<Field> = [Extract<Field, bigint>] extends [never] ? Field : string | Exclude<Field, bigint>

export interface Column {
  /** The name of the row's field: `priceWeth`. */
  readonly field: string
  /** The column's name in the database: `price_weth`. */
  readonly name: string
  readonly type: ColumnType<unknown>
  readonly nullable: boolean
}

/** A table, or some of its columns, as statements use it. */
export interface Table<Row> {
  readonly name: string
  readonly life: Life
  readonly columns: readonly Column[]
  readonly key: readonly Column[]
  /** The `on conflict` clause that merges an inserted row into the stored one, column by column. */
  readonly merge: string
  /** Turns the driver's row into a row, in place. */
  decode(stored: StoredRow<Row>): Row
}

type NullableField<Row> = { [Field in keyof Row]: null extends Row[Field] ? Field : never }[keyof Row]

/** A `null` for each nullable column. */
export function nullsOf<Row>({ columns }: Table<Row>): { readonly [Field in NullableField<Row>]: null } {
  return Object.fromEntries(columns.flatMap(({ field, nullable }) => (nullable ? [[field, null]] : []))) as ReturnType<typeof nullsOf<Row>>
}

/** An entity of MikroORM before its discovery. */
export interface Entity {
  readonly meta: { readonly tableName: string; readonly properties: Readonly<Record<string, EntityProperty>> }
  readonly life?: Life
}

interface EntityProperty {
  readonly type: unknown
  readonly fieldName?: string
  readonly primary?: boolean
  readonly nullable?: boolean
}

/** What happens to the rows of a table that follow from the chain's blocks, besides that blocks write them. */
export interface Life {
  /**
   * What undoing a block does: `image` restores the rows that it changed from their images and deletes those that it added; the name of a
   * column: rows are deleted in which it has a later block. Default: nothing, since they follow from other rows, or stay true.
   */
  readonly undone?: 'image' | 'block_number' | 'created_block' | 'number'
  /** The column that names the launchpad, or the token or pool, with which the rows leave the index. Default: none. */
  readonly leavesBy?: 'token' | 'pool' | 'launchpad'
  /**
   * Which rows of the side index a join copies: all, where they are of the joining launchpads alone, or those that would leave with these.
   * Default: none, or some by a statement of its own.
   */
  readonly joins?: 'all' | 'named'
}

/** Describes a table that indexing the chain again would fill with the same rows. A rewind to the start empties it. */
export function ofBlocks<Defined extends Entity>(life: Life, entity: Defined): Defined & { readonly life: Life } {
  return Object.assign(entity, { life })
}

const NAMING = new UnderscoreNamingStrategy()

/** The name in the database of an entity's property: `price_weth` of `priceWeth`. */
export function columnName(property: string): string {
  return NAMING.propertyToColumnName(property)
}

/** @param properties those of the entity's properties that become the fields of a row */
export function tableOf<Properties extends Record<string, unknown>>(
  { meta, life = {} }: Entity,
  properties: Properties,
): Table<RowOf<Properties>> {
  const name = meta.tableName
  const columns = Object.keys(properties).map((field): Column => {
    const property = meta.properties[field]
    if (!(property?.type instanceof ColumnType)) throw new TypeError(`${name}.${field} is no column of columns.ts`)
    return {
      field,
      name: property.fieldName ?? columnName(field),
      type: property.type,
      nullable: property.nullable === true,
    }
  })
  const key = columns.filter(({ field }) => meta.properties[field]?.primary === true)
  const merged = columns
    .filter(one => !key.includes(one))
    .map(({ name: column, type }) => `${column} = ${type.merge(`${name}.${column}`, `excluded.${column}`)}`)
  const decoded = columns.flatMap(({ field, type: { options } }) =>
    options.decode === undefined ? [] : [{ field, decode: options.decode }],
  )
  return {
    name,
    life,
    columns,
    key,
    merge: `on conflict (${key.map(one => one.name).join(', ')}) do update set ${merged.join(', ')}`,
    decode: stored => {
      const row = stored as Record<string, unknown>
      for (const { field, decode } of decoded) {
        const value = row[field]
        if (value !== null) row[field] = decode(value as string)
      }
      return row as RowOf<Properties>
    },
  }
}
