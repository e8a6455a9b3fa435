import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { arrayOf } from '#tables/binaryArray.ts'
import type { Column, Table } from '#tables/columns.ts'

/** The statements that write some rows. Each statement is built when the iteration comes to it. */
export type Statements = Iterable<RawBuilder<unknown>>

/** A statement of this many rows is built in milliseconds, and its fixed cost is small beside that of its rows. */
export const ROWS_PER_STATEMENT = 1_000

/**
 * Inserts any number of rows by statements of constant text, with one array per column as parameters.
 *
 * @param onConflict a clause such as `table.merge`; without one, a stored row of the same key fails the statement. No two of the given rows
 * may have the same key
 */
export function* insertRows<Row extends object>(table: Table<Row>, rows: readonly NoInfer<Row>[], onConflict = ''): Statements {
  const { name, columns } = table
  const names = sql.join(columns.map(column => sql.id(column.name)))
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT)
    yield sql`insert into ${sql.id(name)} (${names}) select ${unnested(columns, some)} ${sql.raw(onConflict)}`
  }
}

/** Rows of a table that a commit writes, and keeps images of where the table's rows have any. */
export interface TableRows {
  readonly table: Table<object>
  /**
   * Rows that are new to the table. A plain insert is cheaper than a merge: with `on conflict`, PostgreSQL looks for the row, inserts the
   * new one as tentative, and confirms it. A row that is stored already fails it, since its batch is applied twice. Default: none, ever.
   */
  readonly added?: readonly object[]
  /** Rows that may be stored already, and are merged. */
  readonly merged: readonly object[]
}

/** The rows of a table that blocks only add to, or change. */
export function rowsOfTable(table: Table<object>, rows: readonly object[]): TableRows {
  return table.life.undone === 'image' ? { table, merged: rows } : { table, added: rows, merged: [] }
}

export function* writeRows({ table, added = [], merged }: TableRows): Statements {
  yield* insertRows(table, added)
  yield* insertRows(table, merged, table.merge)
}

/**
 * `unnest` of an array per column, for a select list: there PostgreSQL unnests them in step. As a table (`from unnest(…, …)`) it would
 * first store every column and then read it back. All text between two arrays is one part of the statement, since kysely compiles each part
 * every time that the statement runs.
 */
export function unnested(columns: readonly Column[], rows: readonly object[]): RawBuilder<unknown> {
  const arrays = columns.map(({ field, type }) => arrayOf(type.options.element, rows as readonly Record<string, unknown>[], field))
  // The sub-select is that of `parameter`.
  const before = 'unnest((select '
  const after = columns.map(({ name, type }) => `::${type.getColumnType()}[])) as "${name}"`)
  const texts = [before, ...after.map((text, index) => (index < after.length - 1 ? `${text}, ${before}` : text))]
  return sql(Object.assign(texts, { raw: texts }), ...arrays)
}

/** More than a live block has, and some ten megabytes of a backfill's statements. */
const MAX_UNDER_WAY = 32

/**
 * Runs statements in order, inside a transaction. They share round trips. After one that fails, all others fail.
 *
 * @throws what the first one that failed threw
 */
export async function runStatements(db: Queryable, statements: Statements): Promise<void> {
  const { answered } = await sendStatements(db, statements)
  await answered
}

/** As `runStatements`, but resolves when the last statement is sent: statements that are sent later run after all of these. */
export async function sendStatements(db: Queryable, statements: Statements): Promise<{ readonly answered: Promise<unknown> }> {
  const underWay: Promise<unknown>[] = []
  for (const statement of statements) {
    if (underWay.length === MAX_UNDER_WAY) await underWay.shift()
    const answer = statement.execute(db)
    answer.catch(() => undefined)
    underWay.push(answer)
  }
  const answered = Promise.all(underWay)
  answered.catch(() => undefined)
  return { answered }
}

/** A row whose fields have a prefix (`pool.address`), so that it can be joined with a row of another table. */
export type Prefixed<Prefix extends string, Row> = { readonly [Field in keyof Row & string as `${Prefix}.${Field}`]: Row[Field] }

type Columns = Pick<Table<never>, 'name' | 'columns'>

/** The columns of a table, except some of its fields. */
export function without<Row>({ name, columns }: Table<Row>, fields: readonly (keyof Row & string)[]): Columns {
  const names: readonly string[] = fields
  return { name, columns: columns.filter(({ field }) => !names.includes(field)) }
}

/**
 * A select list of the columns of a table named `alias`, as the fields of a `StoredRow`, or of a `Prefixed` one. It is one text, since
 * kysely compiles each part of a statement every time that it runs, and a token has a hundred columns.
 */
export function selectList({ name, columns }: Columns, alias = name, prefix?: string): RawBuilder<unknown> {
  const named = (field: string) => (prefix === undefined ? field : `${prefix}.${field}`)
  return sql.raw(columns.map(column => `"${alias}"."${column.name}" as "${named(column.field)}"`).join(', '))
}

/** The columns of a table as one JSON array. `bytea` and `numeric` become text, as the driver returns them. */
export function jsonColumns({ name: table, columns }: Columns): RawBuilder<unknown> {
  return sql`json_build_array(${sql.join(columns.map(column => jsonColumn(table, column)))})`
}

function jsonColumn(table: string, { name, type }: Column): RawBuilder<unknown> {
  const value = sql.ref(`${table}.${name}`)
  switch (type.options.postgresType) {
    case 'bytea':
      return sql`'0x' || encode(${value}, 'hex')`
    case 'numeric':
      return sql`${value}::text`
    default:
      return value
  }
}

/** The fields of a JSON array of `jsonColumns`, named as by `selectList` with a prefix. */
export function fromJsonColumns({ columns }: Pick<Table<never>, 'columns'>, values: readonly unknown[], prefix: string): unknown {
  return Object.fromEntries(columns.map(({ field }, index) => [`${prefix}.${field}`, values[index]]))
}

/**
 * Joins one row of a table, found by its key, to each row before it in the statement.
 *
 * `offset 0` makes PostgreSQL look each row up in the key's index. A plain join may be planned as a scan of the whole table, since the
 * planner does not know how few rows come before.
 *
 * @param key the condition on all columns of the key, in terms of the table's own name
 * @param as the name in the statement
 */
export function lookUp(table: string, key: RawBuilder<unknown>, as = table): RawBuilder<unknown> {
  return sql`cross join lateral ${found(table, key)} as ${sql.table(as)}`
}

/** As `lookUp`, but where there is no such row, its columns are `null`. */
export function lookUpIfAny(table: string, key: RawBuilder<unknown>, as = table): RawBuilder<unknown> {
  return sql`left join lateral ${found(table, key)} as ${sql.table(as)} on true`
}

function found(table: string, key: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select * from ${sql.table(table)} where ${key} offset 0)`
}

/**
 * A parameter of a prepared statement whose value the planner does not see, so that PostgreSQL keeps the generic plan: a plan for a known
 * value never seems cheaper. Otherwise it may plan the statement at each run, and one that looks up a few rows takes longer to plan than
 * to run.
 *
 * @param type a name of a type, such as `bytea[]`
 */
export function parameter(value: unknown, type: string): RawBuilder<unknown> {
  return sql`(select ${value}::${sql.raw(type)})`
}
