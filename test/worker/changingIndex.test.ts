import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { LaunchpadConfig, LaunchpadsConfig } from '#config'
import { createRandom } from '#devchain/traders/random.ts'
import { planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { readListInForce, requestRebuild } from '#store/rows/listInForce.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { commitBlocks, LAUNCHPADS, openIndex } from '#test/support/simulatedIndex.ts'
import { WETH } from '#test/support/simulatedLaunchpad.ts'
import { applyEdit, type ChangingIndex, type ChangingIndexOptions, openChangingIndex } from '#worker/changingIndex.ts'

const [REFERENCE, CLANKER] = LAUNCHPADS as readonly [LaunchpadConfig, LaunchpadConfig]
const listOf = (...launchpads: readonly LaunchpadConfig[]): LaunchpadsConfig => ({ weth: WETH, launchpads })
const BOTH = listOf(REFERENCE, CLANKER)
const NOWHERE = testAddress(0xdead)
const DEPTH = 16

const database = await useDatabase()
const forking = createForkingChain(createRandom(1), DEPTH)
forking.mine(30)
const genesisHash = forking.chain.at(0).header.hash
let nowMs = 0
let index: ChangingIndex | null = null

/** Blocks of the reference launchpad alone. */
async function followBefore(): Promise<void> {
  const before = await openIndex(database, { genesisHash, maxReorgDepth: DEPTH, launchpads: [REFERENCE] })
  for (let number = 1; number <= 30; number++) await commitBlocks(before, forking.chain.at(number))
}

beforeEach(() => database.clear())

afterEach(async () => {
  await index?.stop()
  await index?.close()
  index = null
})

test.each([
  ['another weth', { ...BOTH, weth: NOWHERE }, {}, `weth has changed from ${WETH} to ${NOWHERE}, and an index is of one WETH: point`],
  [
    'a factory without code',
    listOf(REFERENCE, { ...CLANKER, contracts: { ...CLANKER.contracts, factory: NOWHERE } }),
    {},
    `clanker: the chain has no contract at ${NOWHERE}`,
  ],
  ['an addition without depth', BOTH, { maxReorgDepth: 0 }, 'with MAX_REORG_DEPTH=0 there is no block to which launchpads could be added'],
])('%s is refused in one sentence, until the file is right again', async (_, wanted, settings, sentence) => {
  await followBefore()
  const { want, problem, changing, told, errors } = await start(wanted, settings)
  await expect.poll(problem).toContain(sentence)
  expect(changing()).toEqual([])
  want(listOf(REFERENCE))
  await expect.poll(problem).toBe('')
  expect(errors()).toEqual([expect.stringContaining(`LAUNCHPADS_FILE: ${sentence}`)])
  expect(told).toEqual([])
  expect((await readListInForce(database.kysely)).launchpads).toEqual([REFERENCE])
})

test('a launchpad does not join without its history when indexing begins between the plan and the join', async () => {
  // The plan for an empty index is to follow the new list from the start, and needs no side index.
  const plan = planLaunchpads(listOf(REFERENCE), BOTH)
  await followBefore()
  const edit = { plan, list: { launchpads: BOTH.launchpads, pegUsd: [] }, side: null }
  const tools = { ...optionsOf({}), db: database.kysely, transaction: createTransaction(database.orm), writer: 'test' }
  const nothing = async () => undefined
  const join = applyEdit(edit, false, tools, { hold: () => undefined, pause: nothing, resume: nothing })
  await expect(join).rejects.toMatchObject({ retryable: true, message: 'indexing has begun with the earlier launchpads meanwhile' })
  expect((await readListInForce(database.kysely)).launchpads).toEqual([REFERENCE])
})

const sideSchemas = async () =>
  (await sql<{ name: string }>`select nspname as name from pg_namespace where nspname like '%_side'`.execute(database.kysely)).rows

test('a role without the right to create a schema is told the statement; then it builds, and drops what is removed meanwhile', async () => {
  // It was tried again and again, with a warning each time and nothing in health.
  const { rows } = await sql<{ role: string }>`select current_database() as role`.execute(database.kysely)
  const role = String(rows[0]?.role)
  await sql`create role ${sql.id(role)} login password 'p'`.execute(database.kysely)
  await sql`grant all on all tables in schema public to ${sql.id(role)}`.execute(database.kysely)
  await followBefore()
  const url = Object.assign(new URL(database.url), { username: role, password: 'p' }).href
  // So near the head that it can't join yet.
  const { want, problem, changing, told, errors } = await start(listOf(REFERENCE, { ...CLANKER, startBlock: 28 }), { url })
  try {
    await expect.poll(problem).toContain('grant create on the database to it')
    expect(problem()).not.toContain(role)
    const grant = `grant create on database ${role} to ${role}`
    expect(errors()).toEqual([expect.stringContaining(`LAUNCHPADS_FILE: role ${role} may not create a schema`)])
    expect(errors()).toEqual([expect.stringContaining(grant)])

    await sql.raw(grant).execute(database.kysely)
    nowMs += 60_000
    await expect.poll(changing).toEqual([expect.objectContaining({ name: 'clanker', state: 'backfilling' })])
    expect(problem()).toBe('')
    expect(await sideSchemas()).toEqual([{ name: 'public_side' }])

    want(listOf(REFERENCE))
    await expect.poll(sideSchemas).toEqual([])
    expect(changing()).toEqual([])
    expect(errors()).toHaveLength(1)
    expect(told).toEqual([])
    expect((await readListInForce(database.kysely)).launchpads).toEqual([REFERENCE])
  } finally {
    await index?.stop()
    await index?.close()
    index = null
    await sql`drop owned by ${sql.id(role)}`.execute(database.kysely)
    await sql`drop role ${sql.id(role)}`.execute(database.kysely)
  }
})

test('a rebuild is told like any other change, though the list stays as it was', async () => {
  // The list was compared with the one at the start, which lacked the request: clients of the same process learned nothing of the rebuild.
  const { state, told } = await start(listOf(REFERENCE), { maxReorgDepth: 4 })
  await expect.poll(() => state().indexedBlock).toBe(30)
  await requestRebuild(database.kysely, REFERENCE.name)
  await expect.poll(() => told).toEqual([[REFERENCE.name]])
})

test('a graduation into a pool of which no log was seen is a problem of its launchpad, until one is seen', async () => {
  const longer = createForkingChain(createRandom(1), DEPTH)
  longer.mine(60)
  const { state } = await start(listOf(REFERENCE), { maxReorgDepth: 4, chain: longer })
  const graduated = sql`select 1 from token where graduated_pool is not null`
  await expect.poll(async () => (await graduated.execute(database.kysely)).rows.length).toBeGreaterThan(0)
  await expect.poll(() => state().lagBlocks).toBe(0)
  expect(state().problems).toEqual([])
  await sql`update pool set last_changed_block = null`.execute(database.kysely)
  longer.mine(1)
  await expect.poll(() => state().problems).toEqual([expect.stringMatching(/^launchpad \w+: token 0x.* no log was seen/)])
  await sql`update pool set last_changed_block = 1`.execute(database.kysely)
  longer.mine(1)
  await expect.poll(() => state().problems).toEqual([])
})

interface Settings {
  readonly maxReorgDepth?: number
  readonly url?: string
  readonly chain?: typeof forking
}

async function start(wanted: LaunchpadsConfig, settings: Settings = {}) {
  const log = createLogLines()
  const told: (readonly string[])[] = []
  const opened = await openChangingIndex(optionsOf(settings, log, told))
  index = opened
  opened.want(wanted)
  opened.start(() => undefined)
  const errors = () =>
    log.lines().flatMap(({ level, msg }) => (Number(level) >= 40 && String(msg).includes('LAUNCHPADS_FILE') ? [msg] : []))
  const state = () => opened.report().state
  return { want: opened.want, state, problem: () => state().problems?.join() ?? '', changing: () => state().launchpads, told, errors }
}

function optionsOf(
  { maxReorgDepth = DEPTH, url = database.url, chain = forking }: Settings,
  log = createLogLines(),
  told: (readonly string[])[] = [],
): ChangingIndexOptions {
  const rpc = {
    ...createChainRpc([chain.chain]),
    close: () => undefined,
    request: async ({ method, params }: { method: string; params: readonly unknown[] }) =>
      method === 'eth_getCode' && params[0] !== NOWHERE ? '0x60' : '0x',
  }
  const jobs = { ipfsGateways: [], arweaveGateways: [], metadataFetch: 'off', claimableRefreshBlocks: 100, revaluedTokensPerBlock: 0 }
  const logs = { keepLogs: false, logsFrom: null, verifyLogs: 'bloom', retainMinuteCandles: null }
  return {
    config: { launchpads: { ...listOf(REFERENCE), pegUsd: [] }, confirmations: 0, maxReorgDepth, ...logs, ...jobs },
    chain: { rpc, source: createChainSource({ rpc }), chainId: 1, genesisHash, launchpads: [REFERENCE] },
    databaseUrl: url,
    onLaunchpads: ({ launchpads }: LaunchpadsConfig) => told.push(launchpads.map(({ name }) => name)),
    delayed: (transaction: Transaction) => transaction,
    isWatched: () => true,
    ethUsd: () => null,
    now: () => nowMs,
    logger: log.logger,
  } as unknown as ChangingIndexOptions
}
