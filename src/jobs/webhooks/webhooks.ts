import { EventChannel } from '#actors/events/eventChannel.ts'
import type { EventFilter } from '#actors/events/eventFilter.ts'
import { coalesce } from '#async/coalesce.ts'
import { repeat } from '#async/pause.ts'
import type { WebhookConfig } from '#config'
import { EVENT_CHANNELS } from '#protocol/channels.ts'
import type { ChannelEvents, ChannelEventsQuery, EventChannelName } from '#resources/channelEvent.ts'
import { forgetWebhooks, readWebhooks, takeWebhook, type WebhookProgress } from '#store/rows/webhookPositions.ts'
import { Webhook, type WebhookOptions } from './webhook.ts'

/** How often the stored positions are read, which `npm run webhooks -- replay` changes. */
const LOOK_EVERY_MS = 2_000
/** The number of looks between two checkpoints of webhooks. */
const LOOKS_PER_CHECKPOINT = 15
/** A message has a fixed number of events, so that it is the same when it is sent again. Ten trades, or a token, have up to 16 KB. */
const EVENTS_PER_MESSAGE: Readonly<Record<EventChannelName, number>> = { trades: 10, launches: 1, graduations: 1, crossings: 1 }

/** A webhook whose filters are parsed. */
export interface ReadyWebhook {
  readonly config: WebhookConfig
  readonly filter: EventFilter
}

export interface WebhooksOptions extends Pick<WebhookOptions, 'db' | 'post' | 'random' | 'retries' | 'logger'> {
  /** Reads from the database that `db` writes. */
  readonly read: (query: ChannelEventsQuery) => Promise<ChannelEvents>
  readonly ethUsd: () => string | null
  readonly now: () => number
  /** Whether this index is the served one. An index that is being built beside it sends nothing. */
  readonly isServed: () => Promise<boolean>
  /** The newest block of an index that follows the head; `null`: the index reads history, and no new webhook begins. */
  readonly followed: () => number | null
  /** Default: `repeat` every two seconds. */
  readonly schedule?: (look: () => void) => () => void
}

/** The webhooks of the process that indexes. Each has its own position and waits for its own receiver. */
export interface Webhooks {
  /** Runs these webhooks from now on. Deletes the positions of others, unless `forgetOthers` is `false`. */
  replace(webhooks: readonly ReadyWebhook[], options?: { readonly forgetOthers: boolean }): void
  /** To be called when this block is in the database. */
  changed(block: number): void
  /** The webhooks that are paused or have not begun, for the health of the service. */
  problems(): readonly string[]
  stop(): Promise<void>
}

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { db, read, logger, isServed, followed, schedule = look => repeat(LOOK_EVERY_MS, look) } = options
  const channels = new Map(EVENT_CHANNELS.map(channel => [channel, openChannel(channel)]))
  const running = new Map<string, Webhook>()
  let configured: readonly ReadyWebhook[] | null = null
  let paused: readonly WebhookProgress[] = []
  /** The names of new webhooks, which wait until the index follows the head; `null`: no look has ended yet. */
  let waiting: readonly string[] | null = null
  let forgetsOthers = true
  let looks = 0
  /** The block after which the next look begins new webhooks, so that they miss nothing; `null`: they do not begin yet. */
  let beginsAfter: number | null = null

  function openChannel(channel: EventChannelName): EventChannel {
    const complete = (query: ChannelEventsQuery) => read({ ...query, isComplete: true })
    return new EventChannel({ ...options, channel, read: complete, eventsPerMessage: EVENTS_PER_MESSAGE[channel] })
  }

  const end = async (webhook: Webhook): Promise<void> => {
    running.delete(webhook.config.name)
    await webhook.stop()
  }

  /** Starts and ends webhooks by the configuration and the stored positions. */
  const look = async (): Promise<void> => {
    if (configured === null) return
    const wanted = new Map((await isServed()) ? configured.map(one => [one.config.name, one]) : [])
    const changed = new Set<string>()
    for (const webhook of running.values()) {
      const isChanged = wanted.get(webhook.config.name)?.config !== webhook.config
      if (isChanged) changed.add(webhook.config.name)
      if (isChanged || webhook.isEnded) await end(webhook)
    }
    if (wanted.size === 0 && configured.length > 0) {
      beginsAfter = null
      return
    }
    beginsAfter ??= followed()
    const after = beginsAfter
    if (forgetsOthers) await forgetWebhooks(db, [...wanted.keys()])
    const stored = new Map((await readWebhooks(db)).map(progress => [progress.name, progress]))
    paused = [...stored.values()].filter(({ isPaused }) => isPaused)
    const stillWaiting: string[] = []
    for (const [name, { config, filter }] of wanted) {
      const progress = stored.get(name)
      const webhook = running.get(name)
      // Only a look takes positions, and this one has taken none yet, so another version belongs to another owner.
      if (webhook !== undefined && webhook.version !== progress?.version) await end(webhook)
      if (progress?.isPaused === true || running.has(name)) continue
      if (progress === undefined && after === null) {
        stillWaiting.push(name)
        continue
      }
      const channel = channels.get(config.channel)
      if (channel === undefined) throw new TypeError(`there is no channel ${config.channel}`)
      const taken = await takeWebhook(db, name, after)
      // The delay before the next attempt was for the receiver before the change.
      const again = changed.has(name) ? { ...taken, waitMs: 0 } : taken
      running.set(name, new Webhook({ ...options, config, filter, channel, progress: again }))
    }
    if (stillWaiting.some(name => waiting?.includes(name) !== true))
      logger.info({ webhooks: stillWaiting }, 'new webhooks begin when the index has caught up with the chain')
    waiting = stillWaiting
    if (after !== null) beginsAfter = null
    if (++looks % LOOKS_PER_CHECKPOINT === 0) for (const webhook of running.values()) webhook.checkpoint()
  }
  const looking = coalesce<null>(look, (err, _, failures) => {
    logger.warn({ err, failures }, 'the positions of webhooks could not be read')
  })
  const endLooks = schedule(() => {
    looking.request(null)
    for (const channel of channels.values()) channel.sweep()
  })

  return {
    replace: (webhooks, { forgetOthers } = { forgetOthers: true }) => {
      forgetsOthers = forgetOthers
      const before = new Map((configured ?? []).map(one => [JSON.stringify(one.config), one]))
      // An unchanged webhook keeps its object, and so goes on.
      configured = webhooks.map(one => before.get(JSON.stringify(one.config)) ?? one)
      looking.request(null)
    },
    changed: block => {
      if ((waiting === null || waiting.length > 0) && followed() !== null) beginsAfter ??= block - 1
      for (const channel of channels.values()) channel.changed()
    },
    problems: () => [
      ...paused.map(({ name, lastError }) => `the webhook ${name} is paused: ${lastError}`),
      ...((followed() === null ? waiting : null) ?? []).map(
        name => `the webhook ${name} begins when the index has caught up with the chain`,
      ),
    ],
    stop: async () => {
      endLooks()
      looking.stop()
      await looking.settled()
      await Promise.all([...running.values()].map(end))
      await Promise.all([...channels.values()].map(channel => channel.stop()))
    },
  }
}
