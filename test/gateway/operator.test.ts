import { chmod, chown, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { beforeEach, expect, test } from 'vitest'
import {
  type OperatorConfig,
  type OperatorPolicy,
  openOperators,
  operatorPolicy,
  operatorTokenFile,
  readOrMakeToken,
  refuseOperator,
} from '#gateway/operator.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

const CONFIG: OperatorConfig = { host: '127.0.0.1', operatorToken: null, operatorLoopbackOpen: false, trustProxy: 0 }
const ASKER = { authorization: '', forwarded: false, host: '127.0.0.1:3000' }
const LOCAL: OperatorPolicy = { kind: 'local-token', token: 'local' }
const LOOPBACK: OperatorPolicy = { kind: 'loopback' }
const policyOf = (config: Partial<OperatorConfig>, localToken: string | null = 'local') =>
  operatorPolicy({ ...CONFIG, ...config }, async () => localToken)

test.for(['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1'])(
  'without OPERATOR_TOKEN asks for the token of this machine on HOST %s, unless it is told not to',
  async host => {
    expect(await policyOf({ host })).toEqual(LOCAL)
    expect(await policyOf({ host, operatorLoopbackOpen: true })).toEqual(LOOPBACK)
    expect(await policyOf({ host }, null)).toEqual({ kind: 'closed', because: 'no-file' })
  },
)

test.for(['0.0.0.0', '::', '192.168.1.5', 'example.com', '128.0.0.1', 'localhost.example.com'])(
  'without OPERATOR_TOKEN is closed on HOST %s, and makes no token',
  async host => {
    for (const operatorLoopbackOpen of [false, true]) {
      const policy = await operatorPolicy({ ...CONFIG, host, operatorLoopbackOpen }, () => expect.unreachable())
      expect(policy).toEqual({ kind: 'closed', because: 'reachable' })
    }
  },
)

test('without OPERATOR_TOKEN is closed behind a proxy that is trusted', async () => {
  for (const operatorLoopbackOpen of [false, true]) {
    expect(await policyOf({ trustProxy: 1, operatorLoopbackOpen })).toEqual({ kind: 'closed', because: 'reachable' })
  }
})

test('with OPERATOR_TOKEN asks for it everywhere, and makes no other', async () => {
  const config = { ...CONFIG, operatorToken: 'right', operatorLoopbackOpen: true, trustProxy: 1 }
  const policy = await operatorPolicy(config, () => expect.unreachable())
  for (const authorization of ['', 'Bearer', 'Bearer ', 'Bearer wrong', 'right', 'Bearer right x', 'Basic right']) {
    expect(refuseOperator(policy, { ...ASKER, authorization })).toMatchObject({
      status: 401,
      detail: expect.stringContaining('OPERATOR_TOKEN') as unknown,
      headers: [['WWW-Authenticate', expect.any(String)]],
    })
  }
  expect(refuseOperator(policy, { authorization: 'BEARER  right ', forwarded: true, host: 'api.example.com' })).toBeNull()
})

test('asks for the token of this machine, and says where it is', () => {
  for (const authorization of ['', 'Bearer wrong']) {
    const refused = refuseOperator(LOCAL, { ...ASKER, authorization })
    expect(refused).toMatchObject({ status: 401, headers: [['WWW-Authenticate', expect.any(String)]] })
    for (const name of ['operator-token', 'DATA_DIR', 'OPERATOR_TOKEN']) expect(refused?.detail).toContain(name)
    expect(refused?.detail).not.toContain('local')
  }
  expect(refuseOperator(LOCAL, { ...ASKER, authorization: 'Bearer local' })).toBeNull()
})

const NAMED = [LOCAL, LOOPBACK] as const
const WITH_TOKEN = { ...ASKER, authorization: 'Bearer local' }

test.for(['localhost', 'LOCALHOST:3000', '127.0.0.1', '127.8.8.8:80', '[::1]', '[::1]:3000'])('lets in who asks for %s', host => {
  for (const policy of NAMED) expect(refuseOperator(policy, { ...WITH_TOKEN, host })).toBeNull()
})

test.for(['', 'api.example.com', 'rebound.example.com:3000', '192.168.1.5:3000', 'localhost.example.com', '127.0.0.1.example.com:3000'])(
  'refuses a request that took this server for %j',
  host => {
    for (const policy of NAMED) expect(refuseOperator(policy, { ...WITH_TOKEN, host })).toMatchObject({ status: 403 })
  },
)

test('refuses what a proxy forwards, with the token of this machine or without', () => {
  for (const policy of NAMED) {
    expect(refuseOperator(policy, { ...WITH_TOKEN, forwarded: true })).toMatchObject({
      status: 403,
      detail: expect.stringContaining('OPERATOR_TOKEN') as unknown,
    })
  }
})

test.for(['reachable', 'no-file'] as const)('says what to do where it is closed: %s', because => {
  const refused = refuseOperator({ kind: 'closed', because }, WITH_TOKEN)
  expect(refused).toMatchObject({ status: 403, code: 'unauthorized', detail: expect.stringContaining('OPERATOR_TOKEN') as unknown })
})

const TOKEN = /^[\w-]{43}$/
const OTHER = `${'o'.repeat(43)}\n`
let dataDir: string
let file: string
let turn = 0

const folder = await makeTemporaryFolder()
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
