import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { buyOnCurve, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { IndexerHealth } from '#resources/health.ts'
import { readWebhooks } from '#store/rows/webhookPositions.ts'
import { answering, Receiver } from '#test/jobs/webhooks/receiver.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually, poll } from '#test/support/eventually.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'

/* The service with webhooks: killed with SIGKILL while a receiver has a message, followed by its standby, and with a receiver that leaves. */

const database = await useDatabase({ migrated: false })

const chain = await startTestChain()
const folder = await serviceFolder(chain)
const receiver = await new Receiver().open()
const [, creator] = chain.accounts as unknown as [Address, Address]
const curve = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' }))).curve

test('sends every trade to a receiver in order, whichever process indexes, and says that one is paused', async () => {
  const [, , alice] = chain.accounts as unknown as [Address, Address, Address]
  const file = path.join(folder.folder, 'webhooks.json')
  const hook = receiver.config('bot', { filters: { side: 'buy' } })
  await writeFile(file, JSON.stringify([hook]))
  const env = { DATABASE_URL: database.url, WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true', STANDBY: 'true' }
  const services: Service[] = [await folder.start(env)]
  await eventually(async () => (await readWebhooks(database.kysely)).length === 1)
  services.push(await folder.start(env))

  const buys: string[] = []
  const buy = async () => {
    const { transactionHash } = await chain.mined(buyOnCurve(chain, { from: alice, curve, paidWei: parseEther('0.001') }))
    buys.push(transactionHash)
  }
  const told = (name = 'bot') => {
    const byId = new Map(receiver.deliveries.filter(({ message }) => message.id === name).map(({ id, message }) => [id, message]))
    return [...byId.values()].flatMap(({ data = [] }) => data.map(trade => trade['txHash']))
  }
  await buy()
  await poll(() => told()).toEqual(buys)
  // The standby started before this one was in the file.
  await writeFile(file, JSON.stringify([hook, { ...hook, name: 'late' }]))
  await eventually(async () => (await readWebhooks(database.kysely)).length === 2)
  // The receiver has the message, and the process is gone before it learns of that.
  receiver.answer = () => void services[0]?.process.kill('SIGKILL')
  const died = once(services[0]?.process ?? expect.unreachable('it has started'), 'close')
  await buy()
  await died
  receiver.answer = answering(204)
  await buy()
  await poll(() => told()).toEqual(buys)
  await poll(() => told('late')).toEqual(buys.slice(1))
  expect(receiver.deliveries.length).toBeGreaterThan(5)

  const [, second] = services
  await writeFile(file, '[{}]')
  await poll(() => second?.output()).toContain('WEBHOOKS_FILE has changed and is wrong')
  receiver.answer = answering(410)
  await buy()
  const health = async () => (await (await fetch(`${second?.url}/api/indexer/health`)).json()) as IndexerHealth
  await poll(async () => (await health()).reasons).toContain('the webhook bot is paused: it wants no more (410)')
  expect((await health()).status).toBe('degraded')
  for (const text of [second?.output(), services[0]?.output(), JSON.stringify(await health())]) {
    expect(text).not.toContain(hook.secret)
    expect(text).not.toContain(hook.url)
  }
  expect(await second?.stop()).toBe(0)
})
