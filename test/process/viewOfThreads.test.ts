import { expect, test } from 'vitest'
import type { GatewayThread } from '#process/gatewayThreadCalls.ts'
import { viewOfThreads } from '#process/viewOfThreads.ts'
import type { FeedHealth } from '#resources/health.ts'
import { silentLogger } from '#test/support/database.ts'

const FEED: FeedHealth = {
  carrier: 'thread',
  connected: true,
  disconnectedMs: 0,
  waitingMs: 0,
  behindBlocks: 0,
  reconnects: 0,
  replica: null,
}

test('a thread that does not answer gets no commits, since it was first asked in vain', async () => {
  let answers = true
  const call = () => (answers ? Promise.resolve({ feed: FEED }) : new Promise(() => {}))
  const view = viewOfThreads([{ name: 'gateway-1', call } as unknown as GatewayThread], silentLogger)
  const feed = async () => (await view.reports())[0].feed
  expect(await feed()).toEqual(FEED)
  answers = false
  // Each takes the two seconds that a thread is given.
  const first = await feed()
  expect(first).toMatchObject({ carrier: 'thread', connected: false })
  expect(first.disconnectedMs).toBeGreaterThan(1_900)
  expect((await feed()).disconnectedMs).toBeGreaterThan(first.disconnectedMs + 1_900)
  answers = true
  expect(await feed()).toEqual(FEED)
})

// `/readyz`, the health and the metrics once waited for such a thread without end.
test('a thread that has not answered yet keeps no one waiting, and gets no commits', async () => {
  const thread = (name: string, call: () => Promise<unknown>) => ({ name, call }) as unknown as GatewayThread
  const blocked = thread('gateway-1', () => new Promise(() => {}))
  const view = viewOfThreads([blocked, thread('gateway-2', async () => ({ feed: FEED }))], silentLogger)
  const reports = await view.reports()
  expect(reports).toMatchObject([{ feed: { carrier: 'thread', connected: false } }])
  expect(reports[0].feed.disconnectedMs).toBeGreaterThan(1_900)
})
