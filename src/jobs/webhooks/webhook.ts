import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import type { EventChannel } from '#actors/events/eventChannel.ts'
import type { EventFilter } from '#actors/events/eventFilter.ts'
import type { EventMessage } from '#actors/events/eventMessages.ts'
import type { EventSubscriber } from '#actors/events/eventSubscriber.ts'
import { eventsText, gapText, reorgText } from '#actors/events/eventTexts.ts'
import { isLogged } from '#async/logSampling.ts'
import { pause } from '#async/pause.ts'
import type { WebhookConfig } from '#config'
import { type ChannelPosition, comparePlaces, type EventPlace, formatPlace } from '#domain/eventPlace.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { beginWebhook, failWebhook, moveWebhook, type WebhookProgress, type WrittenWebhook } from '#store/rows/webhookPositions.ts'
import type { PostOutcome, WebhookMessage } from './postWebhook.ts'

/** While more than this waits for a receiver, no message is taken: the events stay in the database. */
const BUFFER_BYTES = 65_536
/** `patienceMs`: a webhook that has failed for longer is paused. */
export const RETRIES = { firstMs: 1_000, mostMs: 600_000, patienceMs: 3 * 86_400_000 }

export type Channel = Pick<EventChannel, 'subscribe' | 'unsubscribe' | 'drained' | 'positionOf'>

export interface WebhookOptions {
  readonly config: WebhookConfig
  readonly filter: EventFilter
  readonly channel: Channel
  /** `null`: it begins with the next event. */
  readonly progress: WebhookProgress | null
  readonly db: Queryable
  readonly post: (config: WebhookConfig, message: WebhookMessage, signal: AbortSignal) => Promise<PostOutcome>
  readonly random: () => number
  /** Default `RETRIES`. */
  readonly retries?: typeof RETRIES
  readonly logger: Logger
}

interface Waiting extends WebhookMessage {
  /** Where the receiver is when it has taken the message. */
  readonly position: ChannelPosition
}

/**
 * A webhook is a subscriber of a channel like a connection. Its messages are sent one after the other, and its position is stored after
 * each that its receiver has taken. So a message is sent again after a failure, or after the end of the process, with the same id.
 */
export class Webhook implements EventSubscriber {
  readonly config: WebhookConfig
  readonly #options: WebhookOptions
  readonly #stopped = new AbortController()
  #waiting: readonly Waiting[] = []
  #bytes = 0
  #failures: number
  #version: number
  #stored: ChannelPosition | null
  readonly #retries: typeof RETRIES
  #running: Promise<void> | null = null

  constructor(options: WebhookOptions) {
    const { config, filter, channel, progress } = options
    this.config = config
    this.#options = options
    this.#retries = options.retries ?? RETRIES
    this.#failures = progress?.failures ?? 0
    this.#version = progress?.version ?? 0
    this.#stored = progress?.position ?? null
    channel.subscribe(this, filter, progress?.position ?? { place: null, reorgs: null })
    if (progress !== null && progress.waitMs > 0) this.#start(() => this.#pause(progress.waitMs))
  }

  get isDrained(): boolean {
    return this.#running === null
  }

  /** Of its stored progress, as far as it knows; 0: none is stored yet. */
  get version(): number {
    return this.#version
  }

  /**
   * Whether no other writer has changed the progress. It may have been read before this webhook's last write: versions only rise.
   *
   * @param atRead its version when the progress was read
   */
  knows(progress: WebhookProgress | null, atRead: number): boolean {
    return this.#running !== null || (progress === null ? atRead === 0 : progress.version <= this.#version)
  }

  subscribed(position: ChannelPosition): void {
    if (this.#stored !== null) return
    this.#stored = position
    this.#start(async () => {
      await this.#write(() => beginWebhook(this.#options.db, this.config.name, position))
    })
  }

  deliver(message: EventMessage, reorgs: number): boolean {
    if (this.#bytes > BUFFER_BYTES) return false
    const { channel, name } = this.config
    const { first, place, voids } = message
    const id = idOf(name, channel, formatPlace(first), formatPlace(place), voids)
    this.#add({ id, body: eventsText(channel, name, message, reorgs), position: { place, reorgs } })
    return true
  }

  reorg(fromBlock: number, position: ChannelPosition): void {
    const { name } = this.config
    this.#add({ id: idOf(name, 'reorg', fromBlock, position.reorgs), body: reorgText(name, fromBlock, position), position })
  }

  gap(from: EventPlace, position: ChannelPosition): void {
    const { name } = this.config
    const id = idOf(name, 'gap', formatPlace(from), formatPlace(position.place), position.reorgs)
    this.#add({ id, body: gapText(name, from, position), position })
  }

  /** Stores the position of a webhook that has had no event for long, which would otherwise be read through again. */
  checkpoint(): void {
    const position = this.#running === null ? this.#options.channel.positionOf(this) : null
    if (position === null || this.#stored === null) return
    if (position.reorgs === this.#stored.reorgs && comparePlaces(position.place, this.#stored.place) === 0) return
    this.#start(() => this.#move(position))
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#options.channel.unsubscribe(this)
    await this.#running
  }

  #add(message: Waiting): void {
    this.#waiting = [...this.#waiting, message]
    this.#bytes += message.body.length
    this.#start(async () => undefined)
  }

  /** Does this, then sends what waits; does nothing while that is under way. */
  #start(first: () => Promise<void>): void {
    if (this.#running !== null || this.#stopped.signal.aborted) return
    this.#running = this.#run(first).finally(() => {
      this.#running = null
      if (this.#stopped.signal.aborted) return
      // A message may have come after the last look.
      if (this.#waiting.length > 0) this.#start(async () => undefined)
      else this.#options.channel.drained(this)
    })
  }

  async #run(first: () => Promise<void>): Promise<void> {
    await first()
    for (let [message] = this.#waiting; message !== undefined && !this.#stopped.signal.aborted; [message] = this.#waiting) {
      const { post } = this.#options
      const outcome = await post(this.config, message, this.#stopped.signal)
      if (this.#stopped.signal.aborted) return
      if (outcome.kind === 'taken') await this.#taken(message)
      else await this.#failed(outcome)
    }
  }

  async #taken(message: Waiting): Promise<void> {
    await this.#move(message.position)
    this.#waiting = this.#waiting.slice(1)
    this.#bytes -= message.body.length
    if (this.#failures > 0) this.#options.logger.info({ webhook: this.config.name }, 'the receiver of a webhook takes messages again')
    this.#failures = 0
  }

  async #failed(outcome: Exclude<PostOutcome, { kind: 'taken' }>): Promise<void> {
    const { db, logger, random } = this.#options
    const { name } = this.config
    const cause = outcome.kind === 'gone' ? 'it wants no more (410)' : outcome.cause
    const { firstMs, mostMs, patienceMs } = this.#retries
    this.#failures++
    const retryInMs = Math.min(firstMs * 2 ** (this.#failures - 1), mostMs) * (0.5 + random() / 2)
    const failed = { cause, retryInMs, patienceMs: outcome.kind === 'gone' ? 0 : patienceMs }
    const written = await this.#write(() => failWebhook(db, { name, version: this.#version }, failed))
    if (written?.isPaused === true) {
      logger.error({ webhook: name, cause }, `the webhook is paused: npm run webhooks -- replay ${name} sends it again`)
      this.#stopped.abort()
      this.#options.channel.unsubscribe(this)
      return
    }
    if (isLogged(this.#failures))
      logger.warn({ webhook: name, failures: this.#failures, cause }, 'a webhook was not taken, and is sent again')
    await this.#pause(retryInMs)
  }

  async #move(position: ChannelPosition): Promise<void> {
    const { db } = this.#options
    const written = await this.#write(() => moveWebhook(db, { name: this.config.name, version: this.#version }, position))
    if (written !== null) this.#stored = position
  }

  /** Until the database has answered. After another writer's change this webhook ends, and one from the stored position takes its place. */
  async #write(write: () => Promise<WrittenWebhook>): Promise<WrittenWebhook> {
    const { logger } = this.#options
    for (let failures = 1; !this.#stopped.signal.aborted; failures++) {
      try {
        const written = await write()
        if (written === null) {
          this.#stopped.abort()
          this.#options.channel.unsubscribe(this)
        } else this.#version = written.version
        return written
      } catch (err) {
        if (isLogged(failures)) logger.warn({ err, webhook: this.config.name, failures }, 'the position of a webhook could not be stored')
        await this.#pause(this.#retries.firstMs)
      }
    }
    return null
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, this.#stopped.signal)
  }

  /** Whether it has ended by itself. */
  get isEnded(): boolean {
    return this.#stopped.signal.aborted
  }
}

/** The same for each attempt, and another one for another message. */
function idOf(...parts: readonly (string | number)[]): string {
  return `msg_${hash('sha256', parts.join(' '), 'base64url').slice(0, 32)}`
}
