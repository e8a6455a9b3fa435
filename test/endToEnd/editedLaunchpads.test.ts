import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { sql } from 'kysely'
import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { type Deployment, deploy } from '#devchain/deploy.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { openFeed } from '#test/support/feedClient.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { launchToken, type TradedToken } from '#test/support/launchToken.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'

/* Edits of launchpads.json while a service and a gateway run and have clients: of two launchpads of one chain. */

const database = await useDatabase({ migrated: false })
const fresh = await useDatabase({ migrated: false })
// The chain is short: a side index stays half of this below its head.
const env = { DATABASE_URL: database.url, MAX_REORG_DEPTH: '4' }
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
const second = await deploy(chain.client, {}, chain.mine)
const alpha = await launchToken(chain)
const beta = await launchToken({ ...chain, deployment: second }, { name: 'Beta', symbol: 'BET' })
const folder = await serviceFolder(chain)
let service: Service

for (const of of [alpha, beta, alpha]) await of.buy()
service = await folder.start(env)
const gateway = await folder.start({ ...env, ROLE: 'gateway', RPC_URLS: '' })
const feeds = [await openFeed(service.url), await openFeed(gateway.url)]

type Named = readonly [name: string, of: Deployment]

/** What is in a launchpads.json. */
function listOf(...entries: readonly Named[]): string {
  const launchpads = entries.map(([name, { launchpad: factory, startBlock }]) => ({ name, adapter: 'bonding-curve', factory, startBlock }))
  return JSON.stringify({ weth: chain.deployment.weth, launchpads })
}

/** Writes launchpads.json, and has the service read it now. */
async function edit(...entries: readonly Named[]): Promise<void> {
  await writeFile(folder.env['LAUNCHPADS_FILE'] ?? '', listOf(...entries))
  service.process.kill('SIGHUP')
}

const textOf = async ({ url }: Service, path: string) => (await fetch(url + path)).text()
const namesOf = async (of: Service) => (await of.get<{ data: readonly { name: string }[] }>('/api/launchpads')).data.map(({ name }) => name)
const tokenOf = (of: Service, { token }: TradedToken) => of.get<Token & { code?: string }>(`/api/tokens/${token}`)

test('launchpads come, change and go while clients keep their connections', async () => {
  for (const feed of feeds) {
    feed.send({ type: 'subscribe', token: alpha.token })
    feed.send({ type: 'subscribe', token: beta.token })
    for (const channel of ['trades', 'launches']) feed.send({ type: 'subscribe', channel })
    await feed.next(({ type, channel }) => type === 'subscribed' && channel === 'launches')
  }
  const told: number[] = []
  /** Until each client has been sent it: the next edit may take a trade away. */
  const trade = async (...of: readonly TradedToken[]) => {
    for (const launched of of) told.push(await launched.buy())
    for (const feed of feeds) await feed.next(({ type, block }) => type === 'trades' && block === String(told.at(-1)))
  }
  await trade(alpha)
  const { block } = await service.get<{ block: { blockNumber: number } }>('/dextools/reference/latest-block')
  const range = `events?fromBlock=0&toBlock=${block.blockNumber}`
  const shown = await textOf(service, `/dextools/reference/${range}`)
  expect(shown).toContain(getAddress(alpha.curve))

  await edit(['reference', chain.deployment], ['second', second])
  for (const of of [service, gateway]) await expect.poll(() => namesOf(of)).toEqual(['reference', 'second'])
  for (const of of [service, gateway]) expect(await tokenOf(of, beta)).toMatchObject({ launchpad: 'second', market: { tradeCount: 1 } })
  await trade(beta, alpha)
  // Market-data sites get the same bytes again, and the history that has joined below a base path of its own.
  for (const of of [service, gateway]) {
    expect(await textOf(of, `/dextools/reference/${range}`)).toBe(shown)
    const { events } = await of.get<{ events: readonly { pairId: string }[] }>(`/dextools/second/${range}`)
    expect(new Set(events.map(({ pairId }) => pairId))).toEqual(new Set([getAddress(beta.curve)]))
  }

  await edit(['renamed', chain.deployment], ['second', second])
  for (const feed of feeds) await feed.next(({ token }) => (token as Token | undefined)?.launchpad === 'renamed')
  for (const of of [service, gateway]) await expect.poll(() => namesOf(of)).toEqual(['renamed', 'second'])
  await trade(beta, alpha)

  await edit(['renamed', chain.deployment])
  for (const of of [service, gateway]) await expect.poll(async () => (await tokenOf(of, beta)).code).toBe('token_not_found')
  for (const of of [service, gateway]) await expect.poll(() => namesOf(of)).toEqual(['renamed'])
  await trade(alpha)
  expect(await textOf(service, `/dextools/renamed/${range}`)).toBe(shown)
  for (const gone of ['reference', 'second']) {
    expect(await service.get(`/dextools/${gone}/${range}`)).toMatchObject({
      status: 404,
      detail: `there is no launchpad "${gone}" in the index`,
    })
  }

  const last = String(told.at(-1))
  for (const [index, feed] of feeds.entries()) {
    await feed.next(({ type, sourceBlock }) => type === 'token.update' && sourceBlock === last)
    for (const { token } of [alpha, beta]) {
      const sequences = feed.updates(token).map(({ sequence }) => sequence)
      expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
    }
    expect(feed.updates(alpha.token).at(-1)?.token).toEqual(await tokenOf([service, gateway][index] as Service, alpha))
    // Each trade since the subscription once, and nothing of the past.
    expect(feed.messages.filter(({ type }) => type === 'trades').map(({ block }) => Number(block))).toEqual(told)
    expect(feed.messages.filter(({ type }) => ['launches', 'reorg', 'gap', 'error'].includes(type))).toEqual([])
  }
  const { launchpads, reorgs } = await service.get<IndexerHealth>('/api/indexer/health')
  expect([launchpads, reorgs.count]).toEqual([[expect.objectContaining({ name: 'renamed', state: 'joined', blocksLeft: 0 })], 0])
})

test('a gateway and a standby say that an edit of theirs is not applied, and whose would be', async () => {
  await expect.poll(() => gateway.output()).toContain('a gateway has the launchpads of the index: edit that of the process that indexes')
  const file = `${folder.folder}/standby.json`
  await writeFile(file, listOf(['second', second]))
  const standby = await folder.start({ ...env, STANDBY: 'true', LAUNCHPADS_FILE: file })
  expect(standby.output()).toContain('LAUNCHPADS_FILE differs from the index; it is applied if this process becomes the one that indexes')
  expect(standby.output()).toContain('second: added')
  await writeFile(file, listOf(['other', second]))
  standby.process.kill('SIGHUP')
  await expect.poll(() => standby.output()).toContain('it is applied if this standby becomes the process that indexes')
  expect(await namesOf(standby)).toEqual(['renamed'])
  await standby.stop()
})

/** Runs `npm run launchpads -- <task>`. @returns its exit code and output */
async function run(...task: readonly string[]): Promise<readonly [number | null, string]> {
  const child = spawn(process.execPath, ['src/commands/launchpads.ts', ...task], { env: { ...process.env, ...folder.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return [code, output]
}

test('a launchpad is built anew on request, and plan and status say how it is', async () => {
  const { sequence } = await tokenOf(service, alpha)
  expect(await run('plan')).toEqual([0, 'renamed: unchanged\n'])
  // A factory that is not on the chain was planned as any other, and then refused by the service.
  const nowhere = { ...second, launchpad: second.deployer }
  await edit(['renamed', chain.deployment], ['second', nowhere])
  expect(await run('plan')).toEqual([1, expect.stringContaining(`second: the chain has no contract at ${nowhere.launchpad}`)])
  await edit(['renamed', chain.deployment])
  expect(await run('rebuild', 'other')).toEqual([1, expect.stringContaining('there is no launchpad other in the index (renamed)')])
  expect(await run('rebuild', 'renamed')).toEqual([0, expect.stringContaining('builds anew, and serves as it is until then: renamed.')])
  await expect.poll(async () => (await tokenOf(service, alpha)).sequence).toBeGreaterThan(sequence)
  await expect.poll(() => tablesOf(SIDE)).toEqual([])
  expect(await run('status')).toEqual([0, 'renamed: joined\n'])
})

const SIDE = '_side'

/** The tables of the index, or with `_side` those of the side index. */
const tablesOf = async (suffix: string) => {
  const { rows } = await sql<{ schema: string; table: string }>`select schemaname as schema, tablename as table from pg_tables
    where schemaname = current_schema() || ${suffix}::text`.execute(database.kysely)
  return rows
}

/** Holds a table, from the moment that it exists, until the function that it resolves with is called. */
async function hold(suffix: string, name: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const { schema } = await eventually(async () => (await tablesOf(suffix)).find(one => one.table === name) ?? false)
  const holding = database.kysely.transaction().execute(async tx => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    await sql`lock table ${sql.id(schema, name)} in access exclusive mode`.execute(tx)
    held.resolve()
    await released.promise
  })
  await held.promise
  return async () => {
    released.resolve()
    await holding
  }
}

const waiting = async (application: string) =>
  (
    await sql`select from pg_stat_activity where datname = current_database() and application_name = ${application} and wait_event_type = 'Lock'`.execute(
      database.kysely,
    )
  ).rows.length

/** Kills the service, starts it again, and returns when it has the launchpads. */
async function killAndRestart(release: () => Promise<void>, names: readonly string[]): Promise<void> {
  service.process.kill('SIGKILL')
  await once(service.process, 'close')
  await release()
  service = await folder.start(env)
  await expect.poll(() => namesOf(service)).toEqual(names)
}

test.each([
  ['while the side index is written', SIDE, 'trade', 'tokenwire-side'],
  // What a reorg or a join alone reads.
  ['within the transaction that joins', '', 'dropped_token', 'tokenwire-launchpads'],
])('an index whose process is killed %s ends as a fresh one', async (_, suffix, table, application) => {
  await edit(['renamed', chain.deployment])
  await expect.poll(() => namesOf(service)).toEqual(['renamed'])
  await expect.poll(() => tablesOf(SIDE)).toEqual([])
  await chain.reorg(1)
  await beta.buy()
  await service.indexed(await alpha.buy())
  const holding = hold(suffix, table)
  if (suffix === '') await holding
  await edit(['renamed', chain.deployment], ['second', second])
  const release = await holding
  await eventually(async () => expect(await waiting(application)).toBeGreaterThan(0))
  await killAndRestart(release, ['renamed', 'second'])
  const last = await beta.buy()
  await service.indexed(last)

  const other = await folder.start({ ...env, DATABASE_URL: fresh.url })
  await other.indexed(last)
  // What only time has changed is committed a moment later.
  await eventually(async () => expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely)))
  await other.stop()
})
