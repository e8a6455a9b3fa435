import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { failed } from '#client/clientError.ts'
import type { ListState } from '#client/generated/types.ts'
import type { Live } from '#client/live/liveTypes.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { DEFAULT_QUERY } from '#console/state/route.ts'
import { createTokenList } from '#console/state/tokenList.ts'
import { movedPlaces } from '#console/state/tokenListState.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

beforeEach(() => {
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }))
  vi.stubGlobal('reportError', (error: unknown) => expect.unreachable(String(error)))
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a list keeps its order through a lost connection, until the service tells another one', async () => {
  const { list, service, shown, tell, end, reconnect } = start([1, 2, 3])
  await vi.advanceTimersByTimeAsync(0)
  tell(3, 2, 1)
  await vi.advanceTimersByTimeAsync(0)
  expect(shown()).toEqual([3, 2, 1])
  service.listed = [2, 3, 1]
  await reconnect()
  expect(shown()).toEqual([3, 2, 1])
  tell(2, 1, 3)
  await vi.advanceTimersByTimeAsync(0)
  expect(shown()).toEqual([2, 1, 3])
  // The order is no longer told: that of the polls counts.
  end()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(shown()).toEqual([2, 3, 1])
  list.stop()
})

test('a list that is held keeps its rows where they are through a lost connection and new orders', async () => {
  const { list, service, shown, tell, end, reconnect } = start([1, 2, 3])
  await vi.advanceTimersByTimeAsync(0)
  tell(3, 2, 1)
  await vi.advanceTimersByTimeAsync(0)
  list.hold(true)
  service.listed = [2, 3, 1]
  await reconnect()
  tell(2, 1, 3)
  await vi.advanceTimersByTimeAsync(0)
  expect([shown(), movedPlaces(list.state.value)]).toEqual([[3, 2, 1], 3])
  end()
  await vi.advanceTimersByTimeAsync(40_000)
  expect([shown(), movedPlaces(list.state.value)]).toEqual([[3, 2, 1], 2])
  list.hold(false)
  expect(shown()).toEqual([2, 3, 1])
  list.stop()
})

test('a list is asked for more seldom while the service does not answer', async () => {
  const { list, service } = start([1])
  await vi.advanceTimersByTimeAsync(0)
  service.isAway = true
  service.asked = 0
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  // Once after 15 s, or a quarter earlier or later, then after 30, 60, 60, …
  await vi.advanceTimersByTimeAsync(290_000)
  expect(service.asked).toBe(6)
  list.stop()
})

/** A list of a service that answers with these tokens over REST. */
function start(listed: readonly number[]) {
  const service = { listed, isAway: false, asked: 0 }
  const states: (() => void)[] = []
  const client = {
    onState: (listener: () => void) => (states.push(listener), () => {}),
    async tokens() {
      service.asked++
      if (service.isAway) return failed('network', 'no answer arrived')
      return { ok: true, value: { data: service.listed.map(n => tokenOf(addressOf(n), 1)), nextCursor: null, asOfBlock: '1' } } as const
    },
  }
  let tell: (state: ListState) => void = () => {}
  let end: () => void = () => {}
  const live = {
    list(_: object, listener: typeof tell, { onEnd }: { readonly onEnd: () => void }) {
      tell = listener
      end = onEnd
      return { close: () => {} }
    },
  }
  const returns = signal(0)
  const list = createTokenList({
    client: client as unknown as Tokenwire,
    live: live as unknown as Live,
    query: signal(DEFAULT_QUERY),
    returns,
  })
  return {
    list,
    service,
    shown: () => list.rows.value.map(({ address }) => Number(address)),
    tell: (...order: readonly number[]) =>
      tell({
        data: order.map(n => ({ address: addressOf(n) })) as unknown as ListState['data'],
        asOfBlock: '1',
        sequence: 1,
      }),
    end: () => end(),
    /** The connection is lost and comes back. */
    async reconnect() {
      for (const changed of states) changed()
      returns.value++
      await vi.advanceTimersByTimeAsync(100)
    },
  }
}
