import { CompiledQuery, type Kysely, type QueryExecutor } from 'kysely'
import type { Queryable } from '#database/queryable.ts'

export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** Runs work on a database and gives the plans of every statement that it ran, with the values it ran them with, all their nodes in one list. */
export async function plansOf(db: Kysely<unknown>, work: (db: Queryable) => Promise<unknown>): Promise<readonly (readonly PlanNode[])[]> {
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
  const plans: (readonly PlanNode[])[] = []
  for (const { sql, parameters } of statements) {
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
      CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters]),
    )
    plans.push(rows.flatMap(row => row['QUERY PLAN']).flatMap(({ Plan }) => flatten(Plan)))
  }
  return plans
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)]
}
