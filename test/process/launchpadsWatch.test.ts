import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { watchLaunchpads } from '#process/watchFile.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

const entry = (name: string, factory = testAddress(name.length)) => ({ name, adapter: 'bonding-curve', factory, startBlock: 1 })
const list = (...launchpads: readonly object[]) => JSON.stringify({ weth: testAddress(9), launchpads }, null, 1)

const WRONG = [
  ['a half-written file', list(entry('a')).slice(0, -12), /^line 8, column 16: /],
  ['two entries of one factory', list(entry('a'), entry('b', testAddress(1))), /^line 13: launchpads\[1\]\.factory: .* is the factory of/],
  ['an unknown field', list({ ...entry('a'), curves: [] }), /^line \d+: launchpads\[0\]\.curves: unknown/],
  [
    'a value of the wrong kind',
    list({ ...entry('a'), startBlock: 'first' }),
    /^line 8: launchpads\[0\]\.startBlock: expected a block number/,
  ],
] as const

test('an edited launchpads.json is used, a wrong one is logged once with line and cause and changes nothing', async () => {
  const folder = await makeTemporaryFolder()
  const log = createLogLines()
  const names: string[][] = []
  let check = () => {}
  const file = path.join(folder.path, 'launchpads.json')
  await writeFile(file, list(entry('a')))
  const stop = watchLaunchpads({
    file,
    onChanged: ({ launchpads }) => void names.push(launchpads.map(({ name }) => name)),
    logger: log.logger,
    repeat: (_, run) => ((check = run), () => {}),
  })
  onTestFinished(stop)
  check()
  for (const [, text] of WRONG) {
    await writeFile(file, text)
    check()
    check()
  }
  await rm(file)
  check()
  expect(names).toEqual([])
  expect(log.lines()).toEqual([
    ...WRONG.map(([, , problem]) => expect.objectContaining({ level: 40, problems: [expect.stringMatching(problem)] })),
    expect.objectContaining({ level: 40, problems: ['it does not exist'] }),
  ])
  await writeFile(file, list(entry('a'), entry('bb')))
  process.emit('SIGHUP')
  expect(names).toEqual([['a', 'bb']])
})
