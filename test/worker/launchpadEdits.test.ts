import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { LaunchpadConfig, LaunchpadsConfig } from '#config'
import { createRandom } from '#devchain/traders/random.ts'
import { planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { readListInForce } from '#store/rows/listInForce.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { commitBlocks, LAUNCHPADS, openIndex } from '#test/support/simulatedIndex.ts'
import { WETH } from '#test/support/simulatedLaunchpad.ts'
import { joinLaunchpads, type LaunchpadEdits, type LaunchpadEditsOptions, startLaunchpadEdits } from '#worker/launchpadEdits.ts'

/* Edits that can't be applied: the index goes on with the list in force, and one sentence says what to do. */

const [REFERENCE, CLANKER] = LAUNCHPADS as readonly [LaunchpadConfig, LaunchpadConfig]
const listOf = (...launchpads: readonly LaunchpadConfig[]): LaunchpadsConfig => ({ weth: WETH, launchpads })
const BOTH = listOf(REFERENCE, CLANKER)
const NOWHERE = testAddress(0xdead)
const DEPTH = 16

const database = await useDatabase()
const forking = createForkingChain(createRandom(1), DEPTH)
forking.mine(30)
const genesisHash = forking.chain.at(0).header.hash
let joins = 0
let nowMs = 0
let edits: LaunchpadEdits | null = null

beforeEach(async () => {
  await database.clear()
  const index = await openIndex(database, { genesisHash, maxReorgDepth: DEPTH, launchpads: [REFERENCE] })
  for (let number = 1; number <= 30; number++) await commitBlocks(index, forking.chain.at(number))
  joins = 0
})

afterEach(async () => {
  await edits?.stop()
})

function start(wanted: LaunchpadsConfig, settings: { readonly maxReorgDepth?: number; readonly url?: string } = {}) {
  const log = createLogLines()
  edits = startLaunchpadEdits(optionsOf(settings, log), wanted)
  const errors = () => log.lines().flatMap(({ level, msg }) => (Number(level) >= 40 ? [msg] : []))
  return { edits, errors }
}

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
  const { edits, errors } = start(wanted, settings)
  await expect.poll(() => edits.problem()?.shown).toContain(sentence)
  expect(edits.changing()).toEqual([])
  edits.want(listOf(REFERENCE))
  await expect.poll(() => edits.problem()).toBeNull()
  expect(errors()).toEqual([expect.stringContaining(`LAUNCHPADS_FILE: ${sentence}`)])
  expect(joins).toBe(0)
  expect((await readListInForce(database.kysely)).launchpads).toEqual([REFERENCE])
})

test('a launchpad does not join without its history when indexing begins between the plan and the join', async () => {
  // The plan for an empty index is to follow the new list from the start, and needs no side index.
  const plan = planLaunchpads(listOf(REFERENCE), BOTH)
  const join = joinLaunchpads({
    ...optionsOf({}),
    plan,
    list: { launchpads: BOTH.launchpads, pegUsd: [] },
    side: null,
    takesOver: false,
    stopIndex: async () => undefined,
  })
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
  const url = Object.assign(new URL(database.url), { username: role, password: 'p' }).href
  // So near the head that it can't join yet.
  const { edits, errors } = start(listOf(REFERENCE, { ...CLANKER, startBlock: 28 }), { url })
  try {
    await expect.poll(() => edits.problem()?.shown).toContain('grant create on the database to it')
    expect(edits.problem()?.shown).not.toContain(role)
    const grant = `grant create on database ${role} to ${role}`
    expect(errors()).toEqual([expect.stringContaining(`LAUNCHPADS_FILE: role ${role} may not create a schema`)])
    expect(errors()).toEqual([expect.stringContaining(grant)])

    await sql.raw(grant).execute(database.kysely)
    nowMs += 60_000
    await expect.poll(() => edits.changing()).toEqual([expect.objectContaining({ name: 'clanker', state: 'backfilling' })])
    expect(edits.problem()).toBeNull()
    expect(await sideSchemas()).toEqual([{ name: 'public_side' }])

    edits.want(listOf(REFERENCE))
    await expect.poll(sideSchemas).toEqual([])
    expect(edits.changing()).toEqual([])
    expect(errors()).toHaveLength(1)
    expect(joins).toBe(0)
    expect((await readListInForce(database.kysely)).launchpads).toEqual([REFERENCE])
  } finally {
    await edits.stop()
    await sql`drop owned by ${sql.id(role)}`.execute(database.kysely)
    await sql`drop role ${sql.id(role)}`.execute(database.kysely)
  }
})

function optionsOf({ maxReorgDepth = DEPTH, url = database.url }, log = createLogLines()): LaunchpadEditsOptions {
  const rpc = {
    ...createChainRpc([forking.chain]),
    request: async ({ method, params }: { method: string; params: readonly unknown[] }) =>
      method === 'eth_getCode' && params[0] !== NOWHERE ? '0x60' : '0x',
  }
  const orm = url === database.url ? database.orm : openOrm(url)
  return {
    config: { launchpads: listOf(REFERENCE), confirmations: 0, maxReorgDepth, keepLogs: false, logsFrom: null, verifyLogs: 'bloom' },
    chain: { rpc, source: createChainSource({ rpc }), chainId: 1, genesisHash },
    databaseUrl: url,
    db: orm.em.getKysely<unknown>(),
    transaction: createTransaction(orm),
    writer: 'test',
    whileChanging: async () => void joins++,
    isTooDeep: () => false,
    ethUsd: () => null,
    now: () => nowMs,
    logger: log.logger,
  } as unknown as LaunchpadEditsOptions
}
