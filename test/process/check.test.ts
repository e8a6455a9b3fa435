import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { check } from '#process/check.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { serviceFolder } from '#test/support/service.ts'
import { addressOf } from '#test/support/snapshots.ts'

const empty = await useDatabase({ migrated: false })
const migrated = await useDatabase()

const chain = await startTestChain()
const service = await serviceFolder(chain)

async function checked(settings: Readonly<Record<string, string>>): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const lines: string[] = []
  const env = { ...service.env, DATABASE_URL: empty.url, ...settings }
  const code = await check(env, { cwd: service.folder, knownAdapters: ADAPTER_KINDS }, line => lines.push(line))
  return { code, lines }
}

const line = (start: string, says = '') => expect.stringMatching(new RegExp(`^${start}.*${says}`)) as unknown

test('says what a start would find, and changes nothing', async () => {
  expect(await checked({})).toEqual({
    code: 0,
    lines: [
      'ok       settings: ROLE all',
      'ok       database: a start prepares it',
      line('ok       provider rpc-1: chain 31337'),
      'ok       launchpad reference: 1 contract',
    ],
  })
  const dataDir = path.join(service.folder, 'data/deeper')
  expect(await checked({ DATABASE_URL: '', DATA_DIR: dataDir })).toMatchObject({
    code: 0,
    lines: [expect.anything(), line('ok       database: ', 'data/deeper'), {}, {}],
  })
  expect(await readdir(service.folder)).toEqual(['launchpads.json'])
  // The same by the command, in which nothing is started.
  const ran = await promisify(execFile)(process.execPath, [path.resolve('src/main.ts'), 'check'], {
    env: { ...process.env, ...service.env, DATABASE_URL: empty.url },
  })
  expect(ran.stdout.split('\n')).toHaveLength(5)
})

test('lists every wrong setting, and repeats no secret', async () => {
  const { code, lines } = await checked({ PORT: 'x', RPC_URLS: 'ftp://secret-key', TRUST_PROXY: '-1' })
  expect(code).toBe(1)
  expect(lines).toEqual([line('wrong    settings: RPC_URLS'), line('wrong    settings: PORT'), line('wrong    settings: TRUST_PROXY')])
  expect(lines.join()).not.toContain('secret-key')
})

interface Wrong {
  readonly what: string
  readonly settings: () => Readonly<Record<string, string>>
  readonly says: RegExp
}

const WRONG: readonly Wrong[] = [
  {
    what: 'a database that does not answer',
    settings: () => ({ DATABASE_URL: 'postgresql://u:hidden-word@127.0.0.1:9/x' }),
    says: /^wrong    database: DATABASE_URL: at 127\.0\.0\.1:9/,
  },
  {
    what: 'an address that the driver refuses',
    settings: () => ({ DATABASE_URL: 'postgresql://hidden-word' }),
    says: /^wrong    database: DATABASE_URL: must look like/,
  },
  { what: 'a gateway before its indexer', settings: () => ({ ROLE: 'gateway' }), says: /^wrong    database: DATABASE_URL: no indexer/ },
  {
    what: 'a database of another chain',
    settings: () => ({ DATABASE_URL: migrated.url }),
    says: /^wrong    database: .*built from chain 9/,
  },
  { what: 'a provider of another chain', settings: () => ({ CHAIN_ID: '8453' }), says: /^wrong    provider rpc-1: RPC_URLS: .*8453/ },
  { what: 'no provider that answers', settings: () => ({ RPC_URLS: 'http://127.0.0.1:9/hidden-word' }), says: /^wrong    providers: / },
  {
    what: 'a folder in whose place is a file',
    settings: () => ({ DATABASE_URL: '', DATA_DIR: path.join(service.folder, 'launchpads.json') }),
    says: /^wrong    database: DATA_DIR: .*no folder/,
  },
]

test.for(WRONG)('finds $what', async ({ settings, says }) => {
  if (settings()['DATABASE_URL'] === migrated.url)
    await claimDatabase(migrated.kysely, { chainId: 9, genesisHash: `0x${'9'.repeat(64)}`, weth: addressOf(9), launchpads: [] }, 'other')
  const { code, lines } = await checked(settings())
  expect(code).toBe(1)
  expect(lines).toContainEqual(expect.stringMatching(says))
  expect(lines.join()).not.toContain('hidden-word')
})

test('finds a launchpad without a contract', async () => {
  const folder = path.join(service.folder, 'wrong')
  await mkdir(folder)
  const { weth } = chain.deployment
  const entry = { name: 'typo', adapter: 'bonding-curve', factory: addressOf(0xbad), startBlock: 0 }
  await writeFile(path.join(folder, 'launchpads.json'), JSON.stringify({ weth, launchpads: [entry] }))
  const { code, lines } = await checked({ LAUNCHPADS_FILE: path.join(folder, 'launchpads.json') })
  expect([code, lines.at(-1)]).toEqual([
    1,
    `wrong    launchpad typo: LAUNCHPADS_FILE: there is no contract at ${addressOf(0xbad)} on this chain`,
  ])
})

test('takes a provider that is down beside one that works for no reason to stay away', async () => {
  const { code, lines } = await checked({ RPC_URLS: `http://127.0.0.1:9/,${chain.anvil.url}` })
  expect(code).toBe(0)
  expect(lines).toContainEqual(line('warning  provider rpc-1: RPC_URLS: '))
  expect(lines).toContainEqual(line('ok       provider rpc-2: chain 31337'))
})
