import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readlink, symlink } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { eventually } from '#test/support/eventually.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { writeTarget } from '../../src/commands/exportTarget.ts'

const folder = await makeTemporaryFolder()
closeAfterFile(() => folder.remove())

// For root, the device was gone, and a regular file in its place.
test('replaces nothing that is no file', async () => {
  const link = path.join(folder.path, 'device.csv')
  await symlink('/dev/null', link)
  const written = writeTarget(link, () => expect.unreachable('there is nothing to write to'))
  await expect(written).rejects.toThrow(`--out: ${link} is there and is no file`)
  expect(await readlink(link)).toBe('/dev/null')
  await expect(writeTarget(folder.path, () => expect.unreachable('it is a folder'))).rejects.toThrow('is no file')
})

// Half an export stayed beside the file, under a hidden name.
test('removes what it has written when a signal ends the process', async () => {
  const script = `import { writeTarget } from './src/commands/exportTarget.ts'
    await writeTarget(process.argv[1], () => new Promise(() => setInterval(() => undefined, 1_000)))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path.join(folder.path, 'rows.csv')])
  const closed = once(child, 'close')
  const partials = async () => (await readdir(folder.path)).filter(name => name.startsWith('.rows.csv.'))
  await eventually(async () => (await partials()).length === 1)
  child.kill('SIGINT')
  expect(await closed).toEqual([null, 'SIGINT'])
  expect(await partials()).toEqual([])
})
