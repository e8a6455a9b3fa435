import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { ApiKey } from '#config'
import { watchApiKeys } from '#process/watchFile.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

test('a changed file is used, a wrong one is said once and changes nothing', async () => {
  const folder = await makeTemporaryFolder()
  const file = path.join(folder.path, 'keys.json')
  const write = (...names: readonly string[]) =>
    writeFile(file, JSON.stringify({ keys: names.map((name, index) => ({ name, sha256: String(index).repeat(64) })) }))
  const changes: string[] = []
  const log = createLogLines()
  let check = () => {}
  await write('a')
  const onChanged = (keys: readonly ApiKey[]) => void changes.push(keys.map(({ name }) => name).join())
  watchApiKeys({ file, onChanged, logger: log.logger, repeat: (_, run) => ((check = run), () => {}) })
  check()
  expect(changes).toEqual([])
  await write('a', 'b')
  check()
  check()
  expect(changes).toEqual(['a,b'])
  await writeFile(file, '{ "keys": [\n{ "name": "c" } ] }')
  check()
  check()
  await rm(file)
  check()
  await write('c')
  check()
  expect(changes).toEqual(['a,b', 'c'])
  expect(log.lines()).toEqual([
    expect.objectContaining({ level: 30, keys: ['a', 'b'] }),
    expect.objectContaining({ level: 40, problems: [expect.stringMatching(/^line 2: keys\[0\]\.sha256: missing/)] }),
    expect.objectContaining({ level: 40, problems: [expect.stringContaining('does not exist')] }),
    expect.objectContaining({ level: 30, keys: ['c'] }),
  ])
})
