import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRenderQueue } from '#console/state/renderQueue.ts'
import { createRow } from '#console/state/rows.ts'
import { createTokenDetail } from '#console/state/tokenDetail.ts'
import { createWatchedRows } from '#console/state/watchedRows.ts'
import { ClientFixture } from '#test/client/clientFixture.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

const A = addressOf(1)
const queue = createRenderQueue(run => queueMicrotask(run))

let fixture: ClientFixture
beforeEach(async () => {
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false, visibilityState: 'visible' }))
  fixture = await ClientFixture.start()
})
afterEach(async () => {
  await fixture.stop()
  vi.unstubAllGlobals()
})

const subscribes = () => fixture.proxy.sent.map(text => JSON.parse(text)).filter(({ type }) => type === 'subscribe')

test('rows are watched without holders, which they do not show, and 150 at most', async () => {
  const rows = createWatchedRows(fixture.client(), queue)
  const addresses = Array.from({ length: 200 }, (_, index) => addressOf(1 + index))
  for (const address of addresses) rows.watch(createRow(tokenOf(address, 1)))
  await expect.poll(() => subscribes().flatMap(({ tokens }) => tokens)).toEqual(addresses.slice(0, 150))
  expect(subscribes().map(({ holders }) => holders)).toEqual([false, false])
  rows.stop()
})

test('a token view gets the holders of a token whose row is watched without them', async () => {
  fixture.store(A, 1)
  const client = fixture.client()
  const rows = createWatchedRows(client, queue)
  const row = createRow(tokenOf(A, 1))
  rows.watch(row)
  fixture.commit(A, 2)
  await expect.poll(() => row.token.value.sequence).toBe(2)
  const detail = createTokenDetail(client, queue, A, signal(0))
  await expect.poll(() => detail.holders.value).toHaveLength(20)
  fixture.commit(A, 3)
  await expect.poll(() => detail.token.value?.sequence).toBe(3)
  expect(row.token.value.sequence).toBe(3)
  expect(detail.holders.value).toHaveLength(20)
  detail.stop()
  rows.stop()
})
