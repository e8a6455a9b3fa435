import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { writeTarget } from '../../src/commands/exportTarget.ts'

const folder = await makeTemporaryFolder()

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

// A link became a file, and the rows were not where it led. A file that its owner alone may read could then be read by all.
test('replaces the file to which a link leads, which keeps its mode', async () => {
  const [file, link] = [path.join(folder.path, 'private.csv'), path.join(folder.path, 'newest.csv')]
  await writeFile(file, 'earlier')
  await chmod(file, 0o600)
  await symlink('private.csv', link)
  await writeTarget(link, async target => void target.write('rows'))
  expect([await readlink(link), await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['private.csv', 'rows', 0o600])
})

// Node's own words were shown, with the hidden name.
test.for([
  ['a file/rows.csv', 'there is no such folder'],
  [`${'n'.repeat(250)}.csv`, 'the name is too long'],
  ['loop.csv', 'the link leads to itself'],
] as const)('says why nothing can be written to %s', async ([name, reason]) => {
  await writeFile(path.join(folder.path, 'a file'), '')
  await symlink('loop.csv', path.join(folder.path, 'loop.csv')).catch(() => undefined)
  const out = path.join(folder.path, name)
  const written = writeTarget(out, () => expect.unreachable('there is nothing to write to'))
  await expect(written).rejects.toThrow(`Nothing more can be written to ${out}: ${reason}.`)
})
