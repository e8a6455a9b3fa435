import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it, test } from 'vitest'
import { packagePath } from '#package'
import { useDatabase } from '#test/support/database.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { chainStateRow, insertRows, tokenRow } from '#test/support/rows.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/* What docs/guides/exports.md says to each reader keeps names that readers change. */

const HOSTILE = [
  ...'NA|N/A|null|NULL|None|nan|NaN|inf|-inf|#N/A|<NA>|TRUE|false|1e5|1E400|007|0x10|1_000|1,5|-1|+1|=cmd()|@SUM(1)'.split('|'),
  ...'2026-01-01|2026-01-01T00:00:00Z|12:30|| | padded |a"b|"|\'|;|#|\\|\\N|\\.|\\n|漢字😀|\u2028|\u202eabc|a\ufeffbom|[]|{"a":1}'.split(
    '|',
  ),
  ...'|~two\nlines~cr\rhere~crlf\r\n~tab\there~\u0001\u0002'.split('~'),
]
/** More than DuckDB takes as one line by default. */
const LONG = 'long'.repeat(750_000)
const rows = HOSTILE.map((symbol, index) => ({
  symbol,
  name: index % 2 === 0 ? null : symbol,
  totalSupply: `${10n ** 60n + BigInt(index)}`,
}))

const database = await useDatabase()
const folder = await makeTemporaryFolder()
const python = findPandas()
const guide = readFileSync(packagePath('docs/guides/exports.md'), 'utf8')
const run = promisify(execFile)

await insertRows(database.kysely, 'chain_state', [chainStateRow()])
await insertRows(
  database.kysely,
  'token',
  rows.map(({ symbol, name, totalSupply }, index) =>
    tokenRow(index + 1, { symbol, name, total_supply: totalSupply, created_block: index, metadata_uri: index === 5 ? LONG : null }),
  ),
)
const env = { PATH: process.env['PATH'], DATABASE_URL: database.url, LOG_LEVEL: 'silent' }
for (const format of ['csv', 'ndjson', 'parquet'])
  await run(
    process.execPath,
    ['src/commands/export.ts', 'tokens', '--format', format, '--out', path.join(folder.path, `tokens.${format}`)],
    { env },
  )

describe.skipIf(python === null)('pandas', () => {
  it.each(['csv', 'ndjson'])('keeps every name in %s', async format => {
    const show = `
import json
print(json.dumps([[None if pd.isna(value) else value for value in row] for row in tokens[["symbol", "name", "totalSupply"]].values.tolist()]))
`
    const { stdout } = await run(python ?? '', ['-c', block('python', format) + show], { cwd: folder.path, maxBuffer: 2 ** 26 })
    // CSV has no other value for an empty text than for none, once pandas has read it.
    const kept = (text: string | null) => (format === 'csv' && text === '' ? null : text)
    expect(JSON.parse(stdout)).toEqual(rows.map(({ symbol, name, totalSupply }) => [kept(symbol), kept(name), totalSupply]))
  })
})

test.each(['csv', 'ndjson', 'parquet'])('DuckDB keeps every name in %s, and tells an empty one from none', async format => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const statement = block('sql', format).replaceAll(`'tokens.${format}'`, `'${path.join(folder.path, `tokens.${format}`)}'`)
  await connection.run(statement)
  const read = await connection.runAndReadAll('select symbol, name, "totalSupply" from tokens order by "totalSupply"')
  expect(read.getRowsJson()).toEqual(rows.map(({ symbol, name, totalSupply }) => [symbol, name, totalSupply]))
  connection.closeSync()
  instance.closeSync()
})

/** The Python that has pandas. */
function findPandas(): string | null {
  const found = findProgram({ names: ['python3'], aptPackage: 'python3-pandas' })
  try {
    execFileSync(found ?? 'python3', ['-c', 'import pandas'], { stdio: 'ignore' })
    return found
  } catch {
    return findProgram({ names: ['pandas for python3'], aptPackage: 'python3-pandas' })
  }
}

/** The guide's block that reads a format. */
function block(language: string, format: string): string {
  const blocks = [...guide.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, of, code = '']) => ({ of, code }))
  return blocks.find(({ of, code }) => of === language && code.includes(`tokens.${format}`))?.code ?? expect.unreachable()
}
