import { expect, it } from 'vitest'
import { EventFilter } from '#actors/events/eventFilter.ts'
import type { ChannelPosition } from '#domain/eventPlace.ts'
import { RETRIES, Webhook, type WebhookOptions } from '#jobs/webhooks/webhook.ts'
import { silentLogger } from '#test/support/database.ts'

const PLACE = { blockNumber: 1, logIndex: 1 }
const LARGE = { first: PLACE, place: PLACE, voids: 0, status: null, data: JSON.stringify('x'.repeat(65_536)), bytes: 65_538 }

it('waits first for the rest of the pause that a process before it began', async () => {
  let posts = 0
  const webhook = open({ waitMs: 3_600_000, post: () => posts++ })
  expect(webhook.isDrained).toBe(false)
  webhook.deliver(LARGE, 0)
  await webhook.stop()
  expect(posts).toBe(0)
})

it('takes no message while more than 64 KB wait for its receiver', async () => {
  const webhook = open({ waitMs: 0, post: signal => new Promise(resolve => signal.addEventListener('abort', resolve)) })
  expect(webhook.deliver(LARGE, 0)).toBe(true)
  expect(webhook.deliver(LARGE, 0)).toBe(false)
  await webhook.stop()
})

it.each([
  [PLACE, 0, true],
  [{ ...PLACE, logIndex: 2 }, 0, false],
  [PLACE, 1, false],
])('at a checkpoint at %j after %i reorgs has nothing to store: %j', async (place, reorgs, isDrained) => {
  const webhook = open({ waitMs: 0, position: { place, reorgs } })
  webhook.checkpoint()
  expect(webhook.isDrained).toBe(isDrained)
  await webhook.stop()
})

interface Opened {
  readonly waitMs: number
  readonly post?: (signal: AbortSignal) => unknown
  /** Of the channel, as a checkpoint asks for it. */
  readonly position?: ChannelPosition
}

function open({ waitMs, post, position }: Opened): Webhook {
  const channel = { subscribe: () => undefined, unsubscribe: () => undefined, drained: () => undefined, positionOf: () => position }
  return new Webhook({
    config: { name: 'all', channel: 'trades' },
    filter: new EventFilter({}),
    channel,
    progress: { failures: 1, waitMs, position: { place: PLACE, reorgs: 0 } },
    post: async (_config: unknown, _message: unknown, signal: AbortSignal) => post?.(signal),
    retries: RETRIES,
    logger: silentLogger,
  } as unknown as WebhookOptions)
}
