import { sql } from 'kysely'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { buyOnCurve, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'

/* SIGTERM stops a service that is committing blocks. */

const TOKENS = 5
const CLIENTS = 40
const BLOCKS_BEFORE_STOP = 15
const RESTART = 1012

const database = await useDatabase({ migrated: false })
let service: Service | undefined

const chain = await startTestChain()
const folder = await serviceFolder(chain)

afterAll(async () => {
  if (service?.process.exitCode === null) await service.stop()
})

test('every client gets the last committed update of each token before the service stops', async () => {
  const [, creator, buyer] = chain.accounts as unknown as [Address, Address, Address]
  const launched: ReturnType<typeof readLaunched>[] = []
  for (let n = 0; n < TOKENS; n++) {
    launched.push(readLaunched(await chain.mined(launch(chain, { from: creator, name: `Token ${n}`, symbol: `T${n}` }))))
  }
  service = await folder.start({ DATABASE_URL: database.url })
  await service.indexed(await chain.head())
  const clients: FeedClient[] = []
  for (let n = 0; n < CLIENTS; n++) clients.push(await openFeed(service.url))
  for (const client of clients) for (const { token } of launched) client.send({ type: 'subscribe', token })
  for (const client of clients)
    for (const { token } of launched) await client.next(({ type, token: of }) => type === 'subscribed' && of === token)

  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const trading = (async () => {
    for (let block = 0; !stopping.signal.aborted; block++) {
      for (const { curve } of launched) await buyOnCurve(chain, { from: buyer, curve, paidWei: 10n ** 12n + BigInt(block) })
      await chain.mine()
    }
  })()
  const [first] = launched
  const begun = clients[0]?.updates(first?.token ?? '').length ?? 0
  while ((clients[0]?.updates(first?.token ?? '').length ?? 0) < begun + BLOCKS_BEFORE_STOP)
    await clients[0]?.next(isUpdateAfter(clients[0]))
  const stopped = service.stop()
  const codes = await Promise.all(clients.map(({ closed }) => closed))
  stopping.abort()
  expect(await stopped).toBe(0)
  await trading

  expect(new Set(codes)).toEqual(new Set([RESTART]))
  const { rows } = await sql<{
    address: string
    sequence: string
  }>`select '0x' || encode(address, 'hex') as address, sequence::text from token`.execute(database.kysely)
  const committed = new Map(rows.map(({ address, sequence }) => [address, Number(sequence)]))
  expect(committed.size).toBe(TOKENS)
  for (const client of clients) {
    const heard = launched.map(({ token }) => client.updates(token).at(-1)?.sequence)
    expect(heard).toEqual(launched.map(({ token }) => committed.get(token)))
  }
})

/** Matches updates that are not among the current messages. */
function isUpdateAfter(client: FeedClient) {
  const known = client.messages.length
  return (message: { readonly type: string }) => message.type === 'token.update' && client.messages.indexOf(message) >= known
}
