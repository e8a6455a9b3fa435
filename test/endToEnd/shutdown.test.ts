import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { type Service, serviceFolder, startService } from '#test/support/service.ts'

/* A service that is stopped while it works says everything that it has committed before it goes. */

const TOKENS = 5
const CLIENTS = 40
/** Blocks before the stop, and after it, so that there are commits whenever it comes. */
const BLOCKS_BEFORE = 15
const MAX_BLOCKS = 400
const RESTART = 1012

const database = await useDatabase({ migrated: false })
let chain: TestChain
let folder: Awaited<ReturnType<typeof serviceFolder>>
let service: Service | undefined

beforeAll(async () => {
  chain = await startTestChain()
  folder = await serviceFolder(chain)
})

afterAll(async () => {
  if (service?.process.exitCode === null) await service.stop()
  await chain?.stop()
  await folder?.remove()
})

test('a stop under load loses no committed update for clients that read', async () => {
  const [, creator, buyer] = chain.accounts as unknown as [Address, Address, Address]
  const launched: ReturnType<typeof readLaunched>[] = []
  for (let n = 0; n < TOKENS; n++) {
    launched.push(readLaunched(await chain.mined(launch(chain, { from: creator, name: `Token ${n}`, symbol: `T${n}` }))))
  }
  service = await startService({
    env: {
      RPC_URLS: chain.anvil.url,
      LAUNCHPADS_FILE: folder.launchpadsFile,
      DATABASE_URL: database.url,
      DATA_DIR: folder.folder,
      PORT: '0',
      CONFIRMATIONS: '0',
      RATE_LIMIT_PER_MINUTE: '0',
    },
  })
  await service.indexed(Number(await chain.client.getBlockNumber({ cacheTime: 0 })))
  const clients: FeedClient[] = []
  for (let n = 0; n < CLIENTS; n++) clients.push(await openFeed(service.url))
  for (const client of clients) for (const { token } of launched) client.send({ type: 'subscribe', token })
  for (const client of clients)
    for (const { token } of launched) await client.next(({ type, token: of }) => type === 'subscribed' && of === token)

  const stopping = new AbortController()
  const trading = (async () => {
    for (let block = 0; block < MAX_BLOCKS && !stopping.signal.aborted; block++) {
      for (const { curve } of launched) await buyOnCurve(chain, { from: buyer, curve, paidWei: 10n ** 12n + BigInt(block) })
      await chain.mine()
    }
  })()
  const [first] = launched
  const begun = clients[0]?.updates(first?.token ?? '').length ?? 0
  while ((clients[0]?.updates(first?.token ?? '').length ?? 0) < begun + BLOCKS_BEFORE) await clients[0]?.next(isUpdateAfter(clients[0]))
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

/** Fits once there is more than there is now. */
function isUpdateAfter(client: FeedClient) {
  const known = client.messages.length
  return (message: { readonly type: string }) => message.type === 'token.update' && client.messages.indexOf(message) >= known
}
