import { TokenwireError } from '#errors'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { readTableSizes, type TableSize } from '#store/reads/chainStats.ts'
import { databaseCommand, databaseConfig } from './databaseCommand.ts'

/* npm run db:size: the rows and bytes of each table, the largest first. The service may run meanwhile. */

const MIB = 2 ** 20

/** One line per table, and one for all of them. */
function tableOfSizes(sizes: readonly TableSize[]): string {
  const all = { table: 'all', rows: sumOf(sizes, 'rows'), bytes: sumOf(sizes, 'bytes'), indexBytes: sumOf(sizes, 'indexBytes') }
  const cells = [...sizes, all].map(({ table, rows, bytes, indexBytes }) => [table, String(rows), inMib(bytes), inMib(indexBytes)])
  const lines = [['table', 'rows (about)', 'MiB', 'MiB of indexes'], ...cells]
  const widths = [0, 1, 2, 3].map(column => Math.max(...lines.map(line => (line[column] ?? '').length)))
  const pad = (text: string, column: number) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0))
  return lines.map(line => line.map(pad).join('  ')).join('\n')
}

function sumOf(sizes: readonly TableSize[], field: 'rows' | 'bytes' | 'indexBytes'): number {
  return sizes.reduce((sum, size) => sum + size[field], 0)
}

function inMib(bytes: number): string {
  return (bytes / MIB).toFixed(1)
}

await databaseCommand(databaseConfig, async ({ url, logger }) => {
  const orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-size' })
  try {
    await requireDatabase(orm.em.getKysely(), { url, use: 'serve', logger })
    const sizes = await readTableSizes(orm.em.getKysely())
    if (sizes.length === 0) throw new TokenwireError('config_invalid', 'DATABASE_URL: nothing is indexed in the database')
    return tableOfSizes(sizes)
  } finally {
    await orm.close(true)
  }
})
