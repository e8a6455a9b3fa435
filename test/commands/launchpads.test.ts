import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'

/* An edit of launchpads.json that removes one entry and adds another one, of the same factory, while the service runs. */

const database = await useDatabase({ migrated: false })
await migrate(database.url, silentLogger)
// The chain is short: the side index stays half of this below its head.
const env = { DATABASE_URL: database.url, MAX_REORG_DEPTH: '4' }
let chain: TestChain
let folder: ServiceFolder
let alpha: Launched
let alice: Address
const children: ChildProcess[] = []

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
  const [, creator, second] = chain.accounts as unknown as [Address, Address, Address]
  alice = second
  alpha = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))
  folder = await serviceFolder(chain)
})

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  await chain?.stop()
  await folder?.remove()
})

let paid = parseEther('0.001')
async function buy(): Promise<number> {
  paid += 1n
  return Number((await chain.mined(buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: paid }))).blockNumber)
}

async function start(): Promise<Service> {
  const service = await folder.start(env)
  children.push(service.process)
  return service
}

async function writeList(...names: readonly string[]): Promise<void> {
  const { weth, launchpad: factory, startBlock } = chain.deployment
  const launchpads = names.map(name => ({ name, adapter: 'bonding-curve', factory, startBlock }))
  await writeFile(folder.env['LAUNCHPADS_FILE'] ?? '', JSON.stringify({ weth, launchpads }))
}

/** Runs `npm run launchpads -- <task>`. */
function run(task: string) {
  const child = spawn(process.execPath, ['src/commands/launchpads.ts', task], { env: { ...process.env, ...folder.env, ...env } })
  children.push(child)
  let output = ''
  const asked = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString()
      if (output.includes('Stop the service')) asked.resolve()
    })
  }
  const exited = once(child, 'close').then(([code]) => code as number | null)
  void exited.then(() => asked.reject(new Error(output)))
  asked.promise.catch(() => undefined)
  /** `asksForStop` resolves when the command asks for the stop of the service, and rejects when it ends before. */
  return { exited, asksForStop: asked.promise, output: () => output }
}

const tokenAt = async ({ url }: Service) => (await (await fetch(`${url}/api/tokens/${alpha.token}`)).json()) as Token

test('what an edited list adds is built in a side index, and joins when the service has stopped', async () => {
  await buy()
  const service = await start()
  await service.indexed(await buy())
  const before = await tokenAt(service)
  await writeList('renamed')

  const plan = run('plan')
  expect(await plan.exited).toBe(0)
  expect(plan.output()).toMatch(/renamed: added from block \d+, \d+ blocks\nreference: removed/)

  const apply = run('apply')
  await apply.asksForStop
  // The service goes on with the earlier list.
  await service.indexed(await buy())
  expect(await tokenAt(service)).toMatchObject({ launchpad: 'reference', market: { tradeCount: 3 } })
  await service.stop()
  expect([await apply.exited, apply.output()]).toEqual([0, expect.stringContaining('The index is of this list now')])

  const again = await start()
  await again.indexed(await buy())
  const after = await tokenAt(again)
  expect(after).toMatchObject({ launchpad: 'renamed', market: { tradeCount: 4 } })
  expect(after.sequence).toBeGreaterThan(before.sequence)
  const idle = run('apply')
  expect([await idle.exited, idle.output()]).toEqual([0, expect.stringContaining('of this list already')])
  await again.stop()
})
