import { execFile } from 'node:child_process'
import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readApiKeys } from '#configuration/apiKeys.ts'
import { createApiKeys } from '#gateway/keys.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
let file: string

const folder = await makeTemporaryFolder()
file = path.join(folder.path, 'keys.json')

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function keys(...args: readonly string[]): Promise<Ran> {
  const env = { ...process.env, API_KEYS_FILE: file }
  const script = path.join(ROOT, 'src/commands/keys.ts')
  return promisify(execFile)(process.execPath, [script, ...args], { cwd: folder.path, env }).then(
    ran => ({ code: 0, ...ran }),
    (failure: Ran) => failure,
  )
}

test('makes a key that is in force, lists it without showing it, and revokes it', async () => {
  const made = await keys('make', 'shop', '--requests', '6000', '--connections', '50', '--origin', 'https://shop.example')
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tw_[\w-]{43}\n$/) })
  const key = made.stdout.trim()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).not.toContain(key)
  const read = readApiKeys(file)
  const inForce = createApiKeys(read.kind === 'valid' ? read.keys : [], { requestsPerMinute: 1, connections: 1 })
  expect(inForce.find(key)).toMatchObject({ name: 'shop', limits: { requestsPerMinute: 6_000, connections: 50 }, isOperator: false })
  await chmod(file, 0o640)
  expect((await keys('make', 'scraper', '--operator')).code).toBe(0)
  expect((await stat(file)).mode & 0o777).toBe(0o640)
  const { stdout } = await keys('list')
  expect(stdout).toMatch(
    /^shop {2}sha256 [0-9a-f]{12} {2}6000 requests a minute {2}50 connections {2}https:\/\/shop\.example\nscraper .*operator\n$/,
  )
  expect(stdout).not.toContain(key)
  const link = path.join(folder.path, 'link.json')
  await symlink(file, link)
  const before = file
  file = link
  expect(await keys('revoke', 'shop')).toMatchObject({ code: 0, stdout: expect.stringContaining('within 5 s') })
  file = before
  expect(readApiKeys(file)).toMatchObject({ kind: 'valid', keys: [{ name: 'scraper', operator: true }] })
})

test('says what is wrong and changes nothing then', async () => {
  const text = await readFile(file, 'utf8')
  for (const [args, problem] of [
    [[], 'usage: '],
    [['make'], 'usage: '],
    [['make', 'a b'], 'expected a name'],
    [['make', 'a', '--limit', '3'], '--limit'],
    [['make', 'a', '--requests', 'x'], 'requestsPerMinute'],
    [['make', 'a', '--origin', 'shop.example'], 'origin'],
    [['make', 'scraper'], 'already'],
    [['revoke', 'nobody'], 'no key of the name nobody'],
  ] as const) {
    expect(await keys(...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(problem) })
  }
  expect(await readFile(file, 'utf8')).toBe(text)
  await writeFile(file, '{')
  expect(await keys('make', 'a')).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1') })
  expect(await readFile(file, 'utf8')).toBe('{')
  await writeFile(`${file}.new`, '')
  expect(await keys('make', 'a')).toMatchObject({ code: 1, stderr: expect.stringContaining('another command') })
})
