import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { useDatabase } from '#test/support/database.ts'

it('shows the rows and bytes of every table of an index, or that there is none', async () => {
  const run = async (url: string) => {
    const env = { PATH: process.env['PATH'], DATABASE_URL: url, LOG_LEVEL: 'silent' }
    return (await promisify(execFile)(process.execPath, ['src/commands/dbSize.ts'], { env })).stdout
  }
  const migrated = await run((await useDatabase()).url)
  expect(migrated).toMatch(/^table +rows \(about\) +MiB +MiB of indexes\n/)
  expect(migrated).toMatch(/\ntrade +\d+ +\d+\.\d +\d+\.\d\n/)
  expect(migrated).toMatch(/\nall +\d+ +\d+\.\d +\d+\.\d\n$/)
  await expect(run((await useDatabase({ migrated: false })).url)).rejects.toMatchObject({
    code: 1,
    stderr: 'DATABASE_URL: nothing is indexed in the database\n',
  })
})
