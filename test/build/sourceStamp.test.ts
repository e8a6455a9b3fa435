import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { sourceStamp } from '../../build/sourceStamp.ts'

let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>
beforeEach(async () => {
  folder = await makeTemporaryFolder()
  await mkdir(path.join(folder.path, 'src/deep'), { recursive: true })
  await writeFile(path.join(folder.path, 'src/deep/a.ts'), 'a')
  await writeFile(path.join(folder.path, 'lock.json'), '{}')
})

const stamp = () => sourceStamp(folder.path, ['src', 'lock.json', 'missing'])

test('stays the same while nothing changes', async () => {
  expect(await stamp()).toBe(await stamp())
})

test('changes with contents, names, and added or removed files', async () => {
  const seen = [await stamp()]
  await writeFile(path.join(folder.path, 'src/deep/a.ts'), 'b')
  seen.push(await stamp())
  await rename(path.join(folder.path, 'src/deep/a.ts'), path.join(folder.path, 'src/deep/b.ts'))
  seen.push(await stamp())
  await writeFile(path.join(folder.path, 'missing'), '')
  seen.push(await stamp())
  await rm(path.join(folder.path, 'lock.json'))
  seen.push(await stamp())
  expect(new Set(seen).size).toBe(seen.length)
})
