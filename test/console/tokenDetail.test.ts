import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { WatchOptions } from '#client/watch/watch.ts'
import { createRenderQueue } from '#console/state/renderQueue.ts'
import { createTokenDetail, type TokenDetail } from '#console/state/tokenDetail.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'

const A = addressOf(1)
const trade = (block: number): Trade => ({ ...tradeOf(A), id: `${block}-0`, blockNumber: String(block), logIndex: 0 })

beforeEach(() => {
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', { hidden: false })
})
afterEach(() => vi.unstubAllGlobals())

/** The state of a token view over a fake client with these trades, newest first. */
async function start(listed: readonly Trade[]) {
  const rest = { listed, isAway: false }
  let watched: WatchOptions = {}
  const answer = async (value: unknown) => (rest.isAway ? { ok: false, error: new Error('away') } : { ok: true, value })
  const client = {
    token: () => answer(tokenOf(A, 1)),
    trades: () => answer({ data: rest.listed, nextCursor: null }),
    holders: () => answer({ data: [], nextCursor: null }),
    claimable: () => answer({ claimable: [] }),
    watch(_: string, __: unknown, options: WatchOptions) {
      watched = options
      return { close() {} }
    },
  }
  const detail = createTokenDetail(
    client as unknown as Tokenwire,
    createRenderQueue(run => queueMicrotask(run)),
    A,
    signal(0),
  )
  await expect.poll(() => detail.phase.value).toBe('ready')
  const tell = (trades: readonly Trade[], gap = false, replacedFrom?: string) => watched.onTrades?.({ trades, gap, replacedFrom })
  return { detail, rest, tell }
}

const ids = (detail: TokenDetail) => detail.trades.value?.map(({ id }) => id)

test('removes trades that a reorg removed, and keeps trades that arrived meanwhile', async () => {
  const { detail, rest, tell } = await start([trade(2), trade(1)])
  tell([trade(3)])
  tell([trade(4)])
  await expect.poll(() => ids(detail)).toEqual(['4-0', '3-0', '2-0', '1-0'])
  // A reorg drops blocks 3 and 4. The list is requested before block 5 and its trade are indexed.
  tell([], true)
  tell([trade(5)])
  expect(ids(detail)).toEqual(['4-0', '3-0', '2-0', '1-0'])
  await expect.poll(() => ids(detail)).toEqual(['5-0', '2-0', '1-0'])
  expect(detail.rewinds.value).toBe(1)
  expect(rest.listed).toHaveLength(2)
  detail.stop()
})

test('keeps removed trades until the list is loaded', async () => {
  const { detail, rest, tell } = await start([trade(2), trade(1)])
  rest.isAway = true
  tell([], true)
  await new Promise(setImmediate)
  expect(ids(detail)).toEqual(['2-0', '1-0'])
  Object.assign(rest, { isAway: false, listed: [trade(1)] })
  detail.reload()
  await expect.poll(() => ids(detail)).toEqual(['1-0'])
  detail.stop()
})

test('replaces trades from a block on without a request', async () => {
  const { detail, rest, tell } = await start([trade(2), trade(1)])
  rest.isAway = true
  tell([trade(3)])
  await expect.poll(() => ids(detail)).toEqual(['3-0', '2-0', '1-0'])
  tell([trade(4)])
  tell([{ ...trade(3), side: 'sell' }, trade(5)], false, '2')
  await expect.poll(() => ids(detail)).toEqual(['5-0', '3-0', '1-0'])
  expect(detail.trades.value?.[1]?.side).toBe('sell')
  expect(detail.rewinds.value).toBe(1)
  detail.stop()
})

test('shows no trade of a list that is older than a reorg', async () => {
  const { detail, rest, tell } = await start([trade(2), trade(1)])
  detail.reload()
  tell([], false, '2')
  rest.listed = [trade(1)]
  await expect.poll(() => ids(detail)).toEqual(['1-0'])
  await new Promise(setImmediate)
  expect(ids(detail)).toEqual(['1-0'])
  detail.stop()
})
