import { chmod, chown, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openOperators, operatorTokenFile, readOrMakeToken } from '#gateway/operator.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

const TOKEN = /^[\w-]{43}$/
const OTHER = `${'o'.repeat(43)}\n`
let folder: TemporaryFolder
let dataDir: string
let file: string
let turn = 0

beforeAll(async () => {
  folder = await makeTemporaryFolder()
})
afterAll(() => folder.remove())
beforeEach(() => {
  dataDir = path.join(folder.path, String(turn++), 'data')
  file = operatorTokenFile(dataDir)
})

async function expectOwnFile(token: string): Promise<void> {
  const found = await lstat(file)
  expect([found.isFile(), found.mode & 0o777, found.uid]).toEqual([true, 0o600, process.getuid?.()])
  expect(await readFile(file, 'utf8')).toBe(`${token}\n`)
  expect(await readdir(dataDir)).toEqual(['operator-token'])
}

test('makes a token that only its owner can read, and its folder', async () => {
  const token = await readOrMakeToken(file)
  expect(token).toMatch(TOKEN)
  await expectOwnFile(token)
})

test('uses the token of an earlier start again', async () => {
  const token = await readOrMakeToken(file)
  expect(await readOrMakeToken(file)).toBe(token)
  await expectOwnFile(token)
})

test('gives two starts at once the same token', async () => {
  const tokens = await Promise.all(Array.from({ length: 8 }, () => readOrMakeToken(file)))
  expect(new Set(tokens).size).toBe(1)
  await expectOwnFile(tokens[0] ?? '')
})

interface Unfit {
  readonly what: string
  /** Puts it in the file's place. */
  readonly place: () => Promise<void>
}

const written = async (text: string, mode = 0o600) => {
  await writeFile(file, text)
  await chmod(file, mode)
}
const UNFIT: readonly Unfit[] = [
  { what: 'a file that its group can read', place: () => written(OTHER, 0o640) },
  { what: 'a file that all users can write', place: () => written(OTHER, 0o602) },
  { what: 'an empty file', place: () => written('') },
  { what: 'a short token', place: () => written('abc\n') },
  { what: 'more than a token', place: () => written(`${OTHER}x`) },
  { what: 'a token of other characters', place: () => written(`${' '.repeat(42)}a\n`) },
]

test.for(UNFIT)('replaces $what', async ({ place }) => {
  await mkdir(dataDir, { recursive: true })
  await place()
  const token = await readOrMakeToken(file)
  expect(token).toMatch(TOKEN)
  expect(token).not.toBe(OTHER.trim())
  await expectOwnFile(token)
})

test('replaces a symbolic link, and neither reads nor writes what it leads to', async () => {
  await mkdir(dataDir, { recursive: true })
  const victim = path.join(folder.path, 'victim')
  await writeFile(victim, OTHER, { mode: 0o600 })
  await symlink(victim, file)
  const token = await readOrMakeToken(file)
  expect(token).not.toBe(OTHER.trim())
  await expectOwnFile(token)
  expect(await readFile(victim, 'utf8')).toBe(OTHER)
})

// Only root can give a file away.
test.runIf(process.getuid?.() === 0)('replaces a file of another user', async () => {
  await mkdir(dataDir, { recursive: true })
  await written(OTHER)
  await chown(file, 65_534, 65_534)
  const token = await readOrMakeToken(file)
  expect(token).not.toBe(OTHER.trim())
  await expectOwnFile(token)
})

function open(config: object = {}) {
  const log = createLogLines()
  const redactor = createRedactor([])
  const settings = { host: '127.0.0.1', operatorToken: null, operatorLoopbackOpen: false, trustProxy: 0, dataDir, ...config }
  return { log, redactor, policy: openOperators({ config: settings, logger: log.logger, redactor }) }
}

test('says at the start where the token is, never the token, and hides it from then on', async () => {
  const { log, redactor, policy } = open()
  const token = await readOrMakeToken(file)
  expect(await policy).toEqual({ kind: 'local-token', token })
  expect(log.lines()).toEqual([expect.objectContaining({ level: 30, file })])
  expect(log.text()).not.toContain(token)
  expect(redactor.text(`Bearer ${token}`)).toBe('Bearer [redacted]')
})

test('closes operator routes and warns where the file can not be written', async () => {
  await mkdir(path.dirname(dataDir), { recursive: true })
  await writeFile(dataDir, 'no folder')
  const { log, policy } = open()
  expect(await policy).toEqual({ kind: 'closed', because: 'no-file' })
  expect(log.lines()).toEqual([expect.objectContaining({ level: 40, file })])
  await rm(dataDir)
  await mkdir(file, { recursive: true })
  expect(await open().policy).toEqual({ kind: 'closed', because: 'no-file' })
  expect(await readdir(dataDir)).toEqual(['operator-token'])
})

test('writes no file where it is not needed', async () => {
  for (const config of [{ operatorToken: 'right' }, { operatorLoopbackOpen: true }, { host: '0.0.0.0' }, { trustProxy: 1 }])
    expect((await open(config).policy).kind).not.toBe('local-token')
  await expect(lstat(dataDir)).rejects.toThrow('ENOENT')
})
