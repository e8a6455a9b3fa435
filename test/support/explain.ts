import { CompiledQuery, type Kysely, type QueryExecutor } from 'kysely'
import type { Queryable } from '#store/connection/databaseSchema.ts'

export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** A plan node with its actual rows: averages per loop, with decimals since PostgreSQL 18. */
export interface MeasuredNode extends PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Heap Fetches'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly MeasuredNode[]
}

/** Runs work on a database and returns the plans of all its statements, with their values, as one list of nodes. */
export async function plansOf(db: Kysely<unknown>, work: (db: Queryable) => Promise<unknown>): Promise<readonly (readonly PlanNode[])[]> {
  const plans: (readonly PlanNode[])[] = []
  for (const { sql, parameters } of await statementsOf(db, work)) {
    plans.push(await planOf<PlanNode>(db, `explain (format json) ${sql}`, parameters))
  }
  return plans
}

/**
 * The same with actual rows, of each statement with the values it had last: of pages, the farthest one. Statements with parameters are
 * planned twice: for these values and for any values, because the server changes from one to the other for prepared statements.
 */
export async function measuredPlansOf(
  db: Kysely<unknown>,
  work: (db: Queryable) => Promise<unknown>,
): Promise<readonly (readonly MeasuredNode[])[]> {
  const measure = 'explain (analyze, timing off, format json)'
  const plans: (readonly MeasuredNode[])[] = []
  const last = new Map((await statementsOf(db, work)).map(statement => [statement.sql, statement]))
  for (const { sql, parameters } of last.values()) {
    plans.push(await planOf<MeasuredNode>(db, `${measure} ${sql}`, parameters))
    if (parameters.length === 0) continue
    const values = parameters.map((value, index) => (isBinaryArray(value, sql, index + 1) ? readArray(value) : value))
    const run = `execute statement(${values.map(literal).join(', ')})`
    const generic = await db.connection().execute(async session => {
      await session.executeQuery(CompiledQuery.raw(`set plan_cache_mode = force_generic_plan; prepare statement as ${sql}`))
      try {
        return await planOf<MeasuredNode>(session, `${measure} ${run}`)
      } finally {
        await session.executeQuery(CompiledQuery.raw('deallocate statement; reset plan_cache_mode'))
      }
    })
    plans.push(generic)
  }
  return plans
}

/** The pages that a node reads. A scan of an index may read entries that its plan counts nowhere. */
export function pagesRead(node: MeasuredNode): number {
  return (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0)
}

/** The rows that a node reads in all its loops, with those that it leaves out. */
export function rowsRead(node: MeasuredNode): number {
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(each * node['Actual Loops'])
}

/** The statements of some work. */
async function statementsOf(db: Kysely<unknown>, work: (db: Queryable) => Promise<unknown>): Promise<readonly CompiledQuery[]> {
  const executor = db.getExecutor()
  const statements: CompiledQuery[] = []
  const executeQuery: QueryExecutor['executeQuery'] = (query, ...rest) => {
    statements.push(query)
    return executor.executeQuery(query, ...rest)
  }
  const recording = new Proxy(executor, {
    get: (target, key) => {
      const value: unknown = key === 'executeQuery' ? executeQuery : Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await work({ getExecutor: () => recording })
  return statements
}

async function planOf<Node extends PlanNode>(
  db: Kysely<unknown>,
  explain: string,
  parameters: readonly unknown[] = [],
): Promise<readonly Node[]> {
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': readonly { Plan: Node }[] }>(CompiledQuery.raw(explain, [...parameters]))
  return rows.flatMap(row => row['QUERY PLAN']).flatMap(({ Plan }) => flatten(Plan))
}

function flatten<Node extends PlanNode>(node: Node): Node[] {
  return [node, ...((node.Plans ?? []) as readonly Node[]).flatMap(flatten)]
}

/** A parameter as a literal of a statement. */
function literal(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `'{${value.map(element).join(',')}}'`
  return `'${text(value).replaceAll("'", "''")}'`
}

function element(value: unknown): string {
  return value === null ? 'null' : `"${text(value).replaceAll(/["\\]/g, '\\$&')}"`
}

function isBinaryArray(value: unknown, statement: string, place: number): value is Buffer {
  return Buffer.isBuffer(value) && new RegExp(`\\$${place}::\\w+\\[\\]`).test(statement)
}

const HEADER_BYTES = 20
const TYPE_AT = 8
const COUNT_AT = 12
const READERS: Readonly<Record<number, (bytes: Buffer) => unknown>> = {
  17: bytes => bytes,
  20: bytes => bytes.readBigInt64BE(),
  23: bytes => bytes.readInt32BE(),
  25: bytes => bytes.toString('utf8'),
}

/** The elements of an array in PostgreSQL's binary format, for the types in statements that read. */
function readArray(array: Buffer): readonly unknown[] {
  const type = array.readInt32BE(TYPE_AT)
  const read = READERS[type]
  if (read === undefined) throw new TypeError(`no reader for arrays of the type ${type}`)
  let at = HEADER_BYTES
  return Array.from({ length: array.readInt32BE(COUNT_AT) }, () => {
    const length = array.readInt32BE(at)
    const element = array.subarray(at + 4, at + 4 + length)
    at += 4 + length
    return read(element)
  })
}

function text(value: unknown): string {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value)
}
