import { UnderscoreNamingStrategy } from '@mikro-orm/core'
import { ColumnType } from './columns.ts'

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
  readonly columns: readonly Column[]
  readonly key: readonly Column[]
  /** The `on conflict` clause that merges an inserted row into the stored one, column by column. */
  readonly merge: string
  /** Turns the driver's row into a row, in place. */
  decode(stored: StoredRow<Row>): Row
}

/** An entity of MikroORM before its discovery. */
export interface Entity {
  readonly meta: { readonly tableName: string; readonly properties: Readonly<Record<string, EntityProperty>> }
}

interface EntityProperty {
  readonly type: unknown
  readonly fieldName?: string
  readonly primary?: boolean
  readonly nullable?: boolean
}

const NAMING = new UnderscoreNamingStrategy()

/** @param properties those of the entity's properties that become the fields of a row */
export function tableOf<Properties extends Record<string, unknown>>({ meta }: Entity, properties: Properties): Table<RowOf<Properties>> {
  const name = meta.tableName
  const columns = Object.keys(properties).map((field): Column => {
    const property = meta.properties[field]
    if (!(property?.type instanceof ColumnType)) throw new TypeError(`${name}.${field} is no column of columns.ts`)
    return {
      field,
      name: property.fieldName ?? NAMING.propertyToColumnName(field),
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
