import type { z } from 'zod'
import { literal, viewForm } from './forms.ts'
import type { View, ViewColumn } from './view.ts'
import { VIEWS_VERSION } from './views.ts'

/** The schema of the views: one per database, since they follow the served index. */
export const VIEWS_SCHEMA = 'tokenwire'

/** The name of a column in the database: `market_price_weth` for `market.priceWeth`. */
function columnName(name: string): string {
  return name.replaceAll('.', '_').replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

/** The statements that create a view and its comments. They find tables by the `search_path`. */
export function viewStatements(view: View): readonly string[] {
  const name = `${VIEWS_SCHEMA}.${view.name}`
  const columns = [
    ...view.columns.map(column => `${viewForm(column)} as ${columnName(column.name)}`),
    ...Object.entries(view.keys).map(([key, sql]) => `${sql} as ${key}`),
  ]
  const where = view.where === undefined ? '' : ` where ${view.where}`
  return [
    `create or replace view ${name} as select ${columns.join(', ')} from ${view.from}${where}`,
    `comment on view ${name} is ${literal(view.meaning)}`,
    ...view.columns.map(column => `comment on column ${name}.${columnName(column.name)} is ${literal(meaningOf(view, column))}`),
    ...Object.keys(view.keys).map(
      key =>
        `comment on column ${name}.${key} is ${literal(`The same as ${key.replace('_bytes', '')}, as an index finds it: compare it with ${VIEWS_SCHEMA}.bytes('0x…').`)}`,
    ),
  ]
}

/** The statements that create the functions beside the views, and the view of the newest indexed block. */
export const OTHER_STATEMENTS: readonly string[] = [
  `create or replace function ${VIEWS_SCHEMA}.views_version() returns integer language sql immutable parallel safe return ${VIEWS_VERSION}`,
  `comment on function ${VIEWS_SCHEMA}.views_version() is 'Rises when a column goes or changes its meaning.'`,
  `create or replace function ${VIEWS_SCHEMA}.bytes(hex text) returns bytea language sql immutable strict parallel safe return decode(substr(hex, 3), 'hex')`,
  `comment on function ${VIEWS_SCHEMA}.bytes(text) is 'An address or hash that begins with 0x, to compare with the columns that end in _bytes.'`,
  `create or replace view ${VIEWS_SCHEMA}.indexed as select cursor_number as block_number, '0x' || encode(cursor_hash, 'hex') as block_hash,
    to_timestamp(cursor_timestamp) as block_time, chain_id from chain_state`,
  `comment on view ${VIEWS_SCHEMA}.indexed is 'One row: the newest indexed block, and the chain.'`,
]

function meaningOf({ item, name: view }: View, { name, meaning }: ViewColumn): string {
  const found = meaning ?? describedAt(item, name.split('.'))
  if (found === undefined) throw new TypeError(`the field ${name} of ${view} has no meaning`)
  return found
}

/** The description of the field at a path, or else of the nearest object around it. */
function describedAt(schema: z.core.$ZodType, path: readonly string[]): string | undefined {
  const [field, ...below] = path
  const described = (schema as z.ZodType).description
  if (field === undefined) return described
  const inner = schema as { readonly unwrap?: () => z.core.$ZodType; readonly shape?: Readonly<Record<string, z.core.$ZodType>> }
  if (inner.unwrap !== undefined) return describedAt(inner.unwrap(), path) ?? described
  const next = inner.shape?.[field]
  return next === undefined ? undefined : (describedAt(next, below) ?? described)
}
