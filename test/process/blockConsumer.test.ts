import { setImmediate as turn } from 'node:timers/promises'
import { Subject } from 'rxjs'
import { expect, it } from 'vitest'
import { createThreadFeed, type EncodedBlock, encodeBlock } from '#bus/blockFeed.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher } from '#gateway/outbox/outbox.ts'
import { createBlockConsumer } from '#process/openGateway.ts'
import { blockOf } from '#test/support/actors.ts'
import { silentLogger } from '#test/support/database.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(1)

// The reads of the watched lists, candles and channels were begun first, and updates waited until they had been sent to the database.
it('writes the updates of a commit after it has forgotten answers, and before it reads what is watched', async () => {
  const effects: string[] = []
  const note = (effect: string) => () => void effects.push(effect)
  const now = () => 0
  const flusher = new Flusher({ schedule: queueMicrotask, yieldTo: setImmediate, now, stats: new RealtimeStats(now), logger: silentLogger })
  const outbox = {
    nextToFlush: undefined,
    flushSlice: () => {
      effects.push('update written')
      return false
    },
  }
  const blocks = new Subject<EncodedBlock>()
  const feed = createThreadFeed({ blocks, watch: () => {}, unwatch: () => {}, stop: async () => {} })
  feed.watch(TOKEN)
  feed.start(
    createBlockConsumer({
      registry: { dispatch: () => flusher.add(outbox), sequence: () => null },
      responses: { changed: note('answers forgotten') },
      channels: { changed: note('events read') },
      lists: { changed: tokens => void effects.push(`lists read for ${[...(tokens ?? [])].join()}`) },
      candles: { changed: note('candles read') },
      yieldTo: setImmediate,
    }),
  )

  blocks.next(encodeBlock(blockOf(snapshotOf(TOKEN, 7))))
  await turn()
  expect(effects).toEqual(['answers forgotten', 'update written', 'events read', `lists read for ${TOKEN}`, 'candles read'])
})
