import { CompiledQuery, type Kysely, type QueryExecutor } from 'kysely'
import type { Queryable } from '#database/queryable.ts'

export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** A node with what it did: per loop, averages that PostgreSQL 18 gives with decimals. */
export interface MeasuredNode extends PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly MeasuredNode[]
}

/** Runs work on a database and gives the plans of every statement that it ran, with the values it ran them with, all their nodes in one list. */
export async function plansOf(db: Kysely<unknown>, work: (db: Queryable) => Promise<unknown>): Promise<readonly (readonly PlanNode[])[]> {
  return explained<PlanNode>(db, work, 'format json')
}

/** The same with what each node did. Runs every statement twice. */
export async function measuredPlansOf(
  db: Kysely<unknown>,
  work: (db: Queryable) => Promise<unknown>,
): Promise<readonly (readonly MeasuredNode[])[]> {
  return explained<MeasuredNode>(db, work, 'analyze, timing off, format json')
}

async function explained<Node extends PlanNode>(
  db: Kysely<unknown>,
  work: (db: Queryable) => Promise<unknown>,
  options: string,
): Promise<readonly (readonly Node[])[]> {
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
  const plans: (readonly Node[])[] = []
  for (const { sql, parameters } of statements) {
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': readonly { Plan: Node }[] }>(
      CompiledQuery.raw(`explain (${options}) ${sql}`, [...parameters]),
    )
    plans.push(rows.flatMap(row => row['QUERY PLAN']).flatMap(({ Plan }) => flatten(Plan)))
  }
  return plans
}

function flatten<Node extends PlanNode>(node: Node): Node[] {
  return [node, ...((node.Plans ?? []) as readonly Node[]).flatMap(flatten)]
}
