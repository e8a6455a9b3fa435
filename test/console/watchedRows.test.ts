import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { WatchOptions } from '#client/watch/watch.ts'
import { createRenderQueue } from '#console/state/renderQueue.ts'
import type { Row } from '#console/state/rows.ts'
import { createWatchedRows } from '#console/state/watchedRows.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

test('rows are watched without holders, which they do not show, and 150 at most', () => {
  const watched: WatchOptions[] = []
  let closed = 0
  const client = {
    watch(_: string, __: unknown, options: WatchOptions) {
      watched.push(options)
      return { close: () => closed++ }
    },
  }
  const rows = createWatchedRows(
    client as unknown as Tokenwire,
    createRenderQueue(run => queueMicrotask(run)),
  )
  for (let index = 0; index < 200; index++) {
    const token = signal(tokenOf(addressOf(index), 1))
    rows.watch({ address: addressOf(index), token, update: () => undefined } as unknown as Row)
  }
  expect(watched).toHaveLength(150)
  expect(watched.every(({ holders }) => holders === false)).toBe(true)
  rows.stop()
  expect(closed).toBe(150)
})
