import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

const folder = await makeTemporaryFolder()
const dataDir = path.join(folder.path, 'data')

/* Each of these created a private PostgreSQL server on nothing, and then said that there is no index. */
test.each([
  ['export.ts', 'trades', '--format', 'csv'],
  ['dbSize.ts'],
  ['dbLogs.ts'],
  ['dbCheck.ts'],
  ['dbViews.ts'],
  ['dbRewind.ts', 'start'],
  ['dbSwitch.ts', 'next'],
  ['webhooks.ts', 'list'],
  ['launchpads.ts', 'status'],
])('%s creates nothing where nothing is indexed, and says so', async (script, ...args) => {
  const [output, code] = await run([process.execPath, `src/commands/${script}`, ...args])
  expect(output).toMatch(/^DATA_DIR: nothing is indexed in \/.*: npm start begins an index there; for another one, set DATABASE_URL/)
  expect({ code, isThere: existsSync(dataDir) }).toEqual({ code: 1, isThere: false })
})

// npm took the options: "--format must be one of csv, ndjson, parquet, got nothing"; keys without their rights and limits.
test.each([
  ['export', 'trades', '--format', 'csv'],
  ['export', 'trades', '--from', '1', '--to', '2'],
  ['keys', 'make', 'bot', '--operator'],
  ['webhooks', 'replay', 'bot', '--after', '12-3'],
])('npm run %s says where options have to stand, and does nothing', async (command, ...args) => {
  const [output, code] = await run(['npm', 'run', '-s', command, ...args])
  expect(output).toMatch(/npm has taken .* for (an option of its|its) own: write -- before the arguments, such as npm run (-s )?\w+ -- /)
  expect({ code, isThere: existsSync(dataDir) }).toEqual({ code: 1, isThere: false })
})

async function run([program = '', ...args]: readonly string[]): Promise<readonly [output: string, code: number]> {
  const child = spawn(program, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: folder.path,
      DATA_DIR: dataDir,
      RPC_URLS: 'http://127.0.0.1:1',
      LAUNCHPADS_FILE: 'docs/launchpads.example.json',
      ...(args.includes('keys') && { API_KEYS_FILE: path.join(dataDir, 'keys.json') }),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
  const code = await new Promise<number>(resolve => void child.once('close', resolve))
  return [output.trim(), code]
}
