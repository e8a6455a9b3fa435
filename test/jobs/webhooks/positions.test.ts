import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type QueryExecutor, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { EventFilter } from '#actors/events/eventFilter.ts'
import type { WebhookConfig } from '#config'
import { createRandom } from '#devchain/traders/random.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { failWebhook, replayWebhook, takeWebhook } from '#store/rows/webhookPositions.ts'
import { eventually, poll } from '#test/support/eventually.ts'
import { begun, grow, HOUR, heldBy, indexed, postWithin, receiver, start, stateOf, storedTrades, useHookedIndex } from './hookedIndex.ts'
import { answering, type Delivery } from './receiver.ts'

const { kysely } = await useHookedIndex()
const ready = (config: WebhookConfig) => ({ config, filter: new EventFilter({}) })
const of = (name: string) => receiver.deliveries.filter(({ message }) => message.id === name)
const ids = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id)

/** Sends statements late, and passes their answers on late: one that is sent first may be answered last, with what was stored then. */
function lateDatabase(): Queryable {
  const random = createRandom(11)
  const executor = kysely.getExecutor()
  const executeQuery: QueryExecutor['executeQuery'] = async (...query) => {
    await pause(random.integer(0, 12))
    const answer = await executor.executeQuery(...(query as Parameters<typeof executor.executeQuery>))
    await pause(random.integer(0, 12))
    return answer as never
  }
  const late = new Proxy(executor, {
    get: (target, key) => {
      const value: unknown = key === 'executeQuery' ? executeQuery : Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { getExecutor: () => late }
}

describe('the position of a webhook', () => {
  // A look that read no position yet, or one from before the webhook's own write, ended the webhook, whose last message came again.
  it('is taken for another writer’s by no look whose answer is late', async () => {
    await grow(3)
    receiver.answer = response => void setTimeout(() => response.writeHead(204).end(), 10)
    const names = Array.from({ length: 6 }, (_, n) => `hook${n}`)
    const webhooks = start(
      names.map(name => [receiver.config(name)] as const),
      {
        db: lateDatabase(),
        schedule: look => {
          const timer = setInterval(look, 1)
          return () => clearInterval(timer)
        },
      },
    )
    // Each gets messages while others begin.
    await begun('hook0')
    for (let block = 0; block < 8; block++) {
      await grow(1)
      webhooks.changed(indexed)
    }
    const last = (await storedTrades()).at(-1) ?? expect.unreachable('there are trades')
    for (const name of names) await eventually(() => heldBy(of(name)).at(-1) === last)
    expect(ids(receiver.deliveries)).toEqual([...new Set(ids(receiver.deliveries))])
  })

  // A replay took effect only when the pause after the last failure was over, which can be ten minutes.
  it('is followed at once when it is set anew while a webhook waits to send again', async () => {
    await grow(3)
    const webhooks = start([[receiver.config('all')]], { retries: { firstMs: HOUR, mostMs: HOUR, patienceMs: 72 * HOUR } })
    await begun('all')
    receiver.answer = answering(500)
    await grow(3)
    webhooks.changed(indexed)
    await eventually(async () => (await stateOf('all'))?.failures === 1)
    receiver.answer = answering(204)
    expect(await replayWebhook(kysely, 'all', { blockNumber: 0, logIndex: 0 })).toBe(true)
    const all = await storedTrades()
    await poll(() => heldBy(receiver.deliveries.slice(1))).toEqual(all)
  })

  // A receiver kept a trade of a replaced block: its process had died before it stored that the message was taken.
  it('is behind its receiver after a kill, and a reorg of what the receiver has is told', async () => {
    await grow(3)
    const dying = start([[receiver.config('all')]], {
      post: async (config, message, signal) => {
        const aborted = once(signal, 'abort')
        await postWithin(HOUR)(config, message, signal)
        await aborted
        return { kind: 'taken' }
      },
    })
    await begun('all')
    const before = (await storedTrades()).length
    await grow(1)
    dying.changed(indexed)
    await eventually(() => receiver.deliveries.length > 0)
    await dying.stop()
    await grow(4, 1)
    start([[receiver.config('all')]])
    const since = (await storedTrades()).slice(before)
    expect(since).not.toEqual([])
    await poll(() => heldBy(receiver.deliveries)).toEqual(since)
  })

  it('tells of a reorg that the receiver has not heard of, though it is set to a place before that', async () => {
    await grow(3)
    const webhooks = start([[receiver.config('all')]])
    await begun('all')
    await grow(4)
    webhooks.changed(indexed)
    const last = (await storedTrades()).at(-1)
    await eventually(() => heldBy(receiver.deliveries).at(-1) === last)
    await webhooks.stop()
    await grow(2, 2)
    await replayWebhook(kysely, 'all', { blockNumber: 4, logIndex: 0 })
    start([[receiver.config('all')]])
    const newest = (await storedTrades()).slice(-3)
    await poll(() => heldBy(receiver.deliveries).slice(-3)).toEqual(newest)
    expect(receiver.deliveries.some(({ message }) => message.type === 'reorg')).toBe(true)
  })

  // A service that was off for three days paused every webhook whose first attempt afterwards failed.
  it('counts attempts and pauses against a receiver, and no time in which nobody tried', async () => {
    const owned = await takeWebhook(kysely, 'all', null)
    const failed = { cause: 'it answers 503', tookMs: 10_000, retryInMs: HOUR, patienceMs: 72 * HOUR }
    /** As if so much time had passed since. */
    const later = (ms: number) =>
      sql`update webhook_position set failing_since_ms = failing_since_ms - ${ms}, next_attempt_at_ms = next_attempt_at_ms - ${ms}`.execute(
        kysely,
      )
    for (const awayHours of [100, 2, 0]) {
      for (let attempts = 0; attempts < 20; attempts++) {
        expect(await failWebhook(kysely, owned, failed)).toBe(false)
        await later((awayHours + 1) * HOUR)
      }
    }
    expect((await stateOf('all'))?.failingForMs).toBeLessThan(62 * HOUR)
    expect((await stateOf('all'))?.failingForMs).toBeGreaterThan(59 * HOUR)
    let attempts = 0
    while ((await failWebhook(kysely, owned, failed)) === false) {
      attempts++
      await later(HOUR + 10_000)
    }
    expect(attempts).toBe(12)
  })

  it.each([
    ['as long as its receiver asks', '1200', 1_200_000],
    ['for the longest pause when its receiver asks for more', '86400', HOUR],
    ['as ever when its receiver asks for less', '0', 500_000],
  ])('stays where it is %s', async (_, seconds, expectedMs) => {
    await grow(3)
    receiver.answer = answering(429, { 'retry-after': seconds })
    const webhooks = start([[receiver.config('all')]], {
      retries: { firstMs: 1_000_000, mostMs: HOUR, patienceMs: 72 * HOUR },
      random: () => 0,
    })
    await begun('all')
    await grow(3)
    webhooks.changed(indexed)
    const { waitMs } =
      (await eventually(async () => (await stateOf('all'))?.failures === 1 && (await stateOf('all')))) ?? expect.unreachable()
    // What is left of it, on a machine that may be slow.
    expect(waitMs).toBeLessThanOrEqual(expectedMs)
    expect(waitMs).toBeGreaterThan(expectedMs - 300_000)
    expect(receiver.deliveries).toHaveLength(1)
  })

  it('is kept for webhooks that stay in a changed file, and begins anew for one with another name or one that was away', async () => {
    await grow(3)
    const [stays, leaves, renamed] = ['stays', 'leaves', 'renamed'].map(name => receiver.config(name)) as [
      WebhookConfig,
      ...WebhookConfig[],
    ]
    const webhooks = start([[stays]])
    const replace = async (...configs: readonly (WebhookConfig | undefined)[]) => {
      const some = configs.filter(config => config !== undefined)
      webhooks.replace(some.map(ready))
      for (const { name } of some) await begun(name)
      for (const gone of ['stays', 'leaves', 'renamed'].filter(name => !some.some(config => config.name === name)))
        await eventually(async () => (await stateOf(gone)) === undefined)
    }
    const from: Record<string, number> = {}
    const count = async () => (await storedTrades()).length
    await replace(stays, leaves)
    from['stays'] = from['leaves'] = await count()
    await grow(2)
    webhooks.changed(indexed)
    await poll(() => heldBy(of('leaves'))).toEqual((await storedTrades()).slice(from['leaves']))
    const before = ids(of('leaves'))
    await replace({ ...stays, filters: {} }, renamed)
    from['renamed'] = await count()
    await grow(2)
    await replace(stays, leaves)
    from['leaves'] = await count()
    await grow(2)
    webhooks.changed(indexed)
    const all = await storedTrades()
    await poll(() => heldBy(of('stays'))).toEqual(all.slice(from['stays']))
    await poll(() => heldBy(of('leaves').filter(({ id }) => !before.includes(id)))).toEqual(all.slice(from['leaves']))
    for (const line of heldBy(of('renamed'))) expect(all.slice(from['renamed'])).toContain(line)
    expect(ids(receiver.deliveries)).toEqual([...new Set(ids(receiver.deliveries))])
  })
})
