import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ListRow } from '#client/generated/types.ts'
import { createLive } from '#client/live/createLive.ts'
import { createRenderQueue } from '#console/state/renderQueue.ts'
import { createRow } from '#console/state/rows.ts'
import { createTokenDetail } from '#console/state/tokenDetail.ts'
import { createWatchedRows } from '#console/state/watchedRows.ts'
import { LIST_CELLS } from '#protocol/listCells.ts'
import type { Token } from '#resources/token.ts'
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

// The page took 10 KB a second at four trades a second: each row of the list came a second time, as the state of its token.
test('a row whose values come with the list is not watched, until it has left the list', async () => {
  fixture.store(A, 1)
  const rows = createWatchedRows(fixture.client(), queue)
  const [listed, other] = [createRow(tokenOf(A, 1)), createRow(tokenOf(addressOf(2), 1))]
  listed.isListed.value = true
  const stop = rows.watch(listed)
  rows.watch(other)
  await expect.poll(() => subscribes().map(({ token }) => token)).toEqual([other.address])
  listed.isListed.value = false
  await expect.poll(() => subscribes().map(({ token }) => token)).toEqual([other.address, A])
  stop()
  await expect.poll(() => fixture.proxy.sent.filter(text => text.includes('unsubscribe')).length).toBe(1)
  rows.stop()
})

test('a row takes the values of the list, unless it has newer ones', () => {
  const row = createRow(tokenOf(A, 5))
  const cells = LIST_CELLS as unknown as Readonly<Record<string, (token: Token) => unknown>>
  const listRow = (token: Token) =>
    Object.fromEntries(Object.entries(cells).map(([name, cellOf]) => [name, cellOf(token)])) as unknown as ListRow
  const { market } = row.token.peek()
  const priced = (sequence: number, priceWeth: string) => listRow({ ...tokenOf(A, sequence), market: { ...market, priceWeth } })
  row.list(priced(6, '7'))
  expect(row.token.value).toMatchObject({ sequence: 6, market: { ...market, priceWeth: '7' } })
  expect(row.priceMove.value).toEqual({ direction: 'up', count: 1 })
  row.list(priced(5, '8'))
  expect(row.token.value.market.priceWeth).toBe('7')
})

test('a token view gets the holders of a token whose row is watched without them', async () => {
  fixture.store(A, 1)
  const client = fixture.client()
  const rows = createWatchedRows(client, queue)
  const row = createRow(tokenOf(A, 1))
  rows.watch(row)
  fixture.commit(A, 2)
  await expect.poll(() => row.token.value.sequence).toBe(2)
  const detail = createTokenDetail(client, createLive(client), queue, A, signal(0))
  await expect.poll(() => detail.holders.value).toHaveLength(20)
  fixture.commit(A, 3)
  await expect.poll(() => detail.token.value?.sequence).toBe(3)
  expect(row.token.value.sequence).toBe(3)
  expect(detail.holders.value).toHaveLength(20)
  detail.stop()
  rows.stop()
})
