import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { useDatabase } from '#test/support/database.ts'

const migrated = await useDatabase()
const generated = await useDatabase({ migrated: false })

describe('the entities', () => {
  test('differ in nothing from the migrated database that the ORM can see', async () => {
    expect(await migrated.orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('')
  })

  // The ORM compares indexes over expressions by name only; the catalogue knows all of it.
  test('describe the columns, constraints and indexes that the migrations make', async () => {
    await sql`create extension pg_trgm`.execute(generated.kysely)
    const statements = (await generated.orm.schema.getCreateSchemaSQL({ wrap: false })).split(';\n')
    // It has columns of other tables' row types, and MikroORM creates tables in the order of their names.
    const ofUndo = statements.filter(statement => statement.includes('"block_undo"'))
    for (const statement of [...statements.filter(one => !ofUndo.includes(one)), ...ofUndo])
      await sql.raw(statement).execute(generated.kysely)
    const expected = await describeSchema(migrated.kysely)
    expect(expected.length).toBeGreaterThan(150)
    expect(await describeSchema(generated.kysely)).toEqual(expected)
  })
})

/** One sorted line per column, constraint and index. */
async function describeSchema(db: Queryable): Promise<readonly string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('%s.%s %s%s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' end,
      nullif(a.attgenerated, ''), pg_get_expr(d.adbin, d.adrelid)) as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and c.relname <> 'mikro_orm_migrations'
    union all
    select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = 'public'::regnamespace and conrelid <> coalesce(to_regclass('mikro_orm_migrations'), 0)
    union all
    select indexdef from pg_indexes where schemaname = 'public' and tablename <> 'mikro_orm_migrations'
    order by 1`.execute(db)
  return rows.map(row => row.line)
}
