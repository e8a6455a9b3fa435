import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Live } from '#client/live/liveTypes.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { createRenderQueue } from '#console/state/renderQueue.ts'
import { createTokenDetail } from '#console/state/tokenDetail.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'

const A = addressOf(1)
const trade = (block: number): Trade => ({ ...tradeOf(A), id: `${block}-0`, blockNumber: String(block), logIndex: 0 })

beforeEach(() => {
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', { hidden: false })
})
afterEach(() => vi.unstubAllGlobals())

test('shows the newest trades as the channel tells them, drawn with the next frame', async () => {
  let tell: (trades: readonly Trade[]) => void = () => expect.fail('nothing follows the trades')
  let isFollowed = true
  const answer = async (value: unknown) => ({ ok: true, value })
  const client = {
    token: () => answer(tokenOf(A, 1)),
    holders: () => answer({ data: [], nextCursor: null }),
    watch: () => ({ close() {} }),
  } as unknown as Tokenwire
  const latestTrades = (query: object, listener: typeof tell) => {
    expect(query).toEqual({ tokens: [A], limit: 100 })
    tell = listener
    return { close: () => (isFollowed = false) }
  }
  let draw = () => {}
  const queue = createRenderQueue(run => (draw = run))
  const detail = createTokenDetail(client, { latestTrades } as unknown as Live, queue, A, signal(0))
  const ids = () => detail.trades.value?.map(({ id }) => id)
  expect(ids()).toBeUndefined()
  tell([trade(2), trade(1)])
  tell([trade(3), trade(2), trade(1)])
  expect(ids()).toBeUndefined()
  draw()
  expect(ids()).toEqual(['3-0', '2-0', '1-0'])
  detail.stop()
  expect(isFollowed).toBe(false)
})
