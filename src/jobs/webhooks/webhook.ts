import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import type { EventChannel } from '#actors/events/eventChannel.ts'
import type { EventFilter } from '#actors/events/eventFilter.ts'
import { type EventMessage, type EventSubscriber, eventsText, gapText, reorgText } from '#actors/events/eventMessages.ts'
import { isLogged, pause } from '#async/pause.ts'
import type { WebhookConfig } from '#config'
import { type ChannelPosition, comparePlaces, type EventPlace, formatPlace } from '#domain/eventPlace.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { failWebhook, moveWebhook, type WebhookProgress } from '#store/rows/webhookPositions.ts'
import { ANSWER_MS, type PostOutcome, type WebhookMessage } from './postWebhook.ts'

/** While messages of more than this wait, no other is taken, and the events stay in the database. */
const BUFFER_BYTES = 65_536
/** The shortest and the longest delay between attempts, and how long attempts and delays may take before a webhook is paused. */
export const RETRIES = { firstMs: 1_000, mostMs: 600_000, patienceMs: 3 * 86_400_000 }

export type Channel = Pick<EventChannel, 'subscribe' | 'unsubscribe' | 'drained' | 'positionOf'>

export interface WebhookOptions {
  readonly config: WebhookConfig
  readonly filter: EventFilter
  readonly channel: Channel
  /** The progress at the moment when this process became the owner of the position. */
  readonly progress: WebhookProgress
  readonly db: Queryable
  readonly post: (config: WebhookConfig, message: WebhookMessage, signal: AbortSignal) => Promise<PostOutcome>
  readonly random: () => number
  /** Default `RETRIES`. */
  readonly retries?: typeof RETRIES
  readonly logger: Logger
}

interface Waiting extends WebhookMessage {
  /** The position of a receiver that has taken the message. */
  readonly position: ChannelPosition
}

/**
 * A webhook subscribes to a channel as a connection does. Its messages are sent one after the other, and its position is stored after each
 * that the receiver has taken. So after a failure, or after the end of the process, a message is sent again with the same id. The webhook
 * ends when its position has another owner.
 */
export class Webhook implements EventSubscriber {
  readonly config: WebhookConfig
  readonly #options: WebhookOptions
  readonly #stopped = new AbortController()
  #waiting: readonly Waiting[] = []
  #bytes = 0
  #failures: number
  #stored: ChannelPosition
  readonly #retries: typeof RETRIES
  #running: Promise<void> | null = null

  constructor(options: WebhookOptions) {
    const { config, filter, channel, progress } = options
    this.config = config
    this.#options = options
    this.#retries = options.retries ?? RETRIES
    this.#failures = progress.failures
    this.#stored = progress.position
    channel.subscribe(this, filter, progress.position)
    if (progress.waitMs > 0) this.#start(() => this.#pause(progress.waitMs))
  }

  get isDrained(): boolean {
    return this.#running === null
  }

  /** The version of its position as long as this webhook is the owner. */
  get version(): number {
    return this.#options.progress.version
  }

  subscribed(): void {
    // The webhook has begun at its own position.
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

  /** Stores the position of a webhook without recent events, so that the channel need not be read again from an old position. */
  checkpoint(): void {
    const position = this.#running === null ? this.#options.channel.positionOf(this) : null
    if (position === null) return
    if (position.reorgs === this.#stored.reorgs && comparePlaces(position.place, this.#stored.place) === 0) return
    this.#start(() => this.#move(position))
  }

  async stop(): Promise<void> {
    this.#end()
    await this.#running
  }

  #add(message: Waiting): void {
    this.#waiting = [...this.#waiting, message]
    this.#bytes += message.body.length
    this.#start()
  }

  /** Runs `first`, then sends the waiting messages. Does nothing while that is under way. */
  #start(first = async () => {}): void {
    if (this.#running !== null || this.#stopped.signal.aborted) return
    this.#running = this.#run(first).finally(() => {
      this.#running = null
      if (this.#stopped.signal.aborted) return
      // A message may have come after the run has looked for the last time.
      if (this.#waiting.length > 0) this.#start()
      else this.#options.channel.drained(this)
    })
  }

  async #run(first: () => Promise<void>): Promise<void> {
    await first()
    for (let [message] = this.#waiting; message !== undefined && !this.#stopped.signal.aborted; [message] = this.#waiting) {
      const { post } = this.#options
      const beganAt = performance.now()
      const outcome = await post(this.config, message, this.#stopped.signal)
      if (this.#stopped.signal.aborted) return
      if (outcome.kind === 'taken') await this.#taken(message)
      // A process that was suspended meanwhile has not tried for longer.
      else await this.#failed(message, outcome, Math.min(performance.now() - beganAt, ANSWER_MS))
    }
  }

  async #taken(message: Waiting): Promise<void> {
    await this.#move(message.position)
    this.#waiting = this.#waiting.slice(1)
    this.#bytes -= message.body.length
    if (this.#failures > 0) this.#options.logger.info({ webhook: this.config.name }, 'the receiver of a webhook takes messages again')
    this.#failures = 0
  }

  async #failed({ position }: Waiting, outcome: Exclude<PostOutcome, { kind: 'taken' }>, tookMs: number): Promise<void> {
    const { db, logger, random, progress } = this.#options
    const { name } = this.config
    const cause = outcome.kind === 'gone' ? 'it wants no more (410)' : outcome.cause
    const askedMs = outcome.kind === 'gone' ? null : outcome.retryAfterMs
    const { firstMs, mostMs, patienceMs } = this.#retries
    this.#failures++
    const backOffMs = Math.min(firstMs * 2 ** (this.#failures - 1), mostMs) * (0.5 + random() / 2)
    const retryInMs = Math.max(backOffMs, Math.min(askedMs ?? 0, mostMs))
    const failed = { cause, tookMs, retryInMs, patienceMs: outcome.kind === 'gone' ? 0 : patienceMs }
    const isPaused = await this.#write(() => failWebhook(db, progress, failed))
    if (isPaused === null) return
    if (isPaused) {
      const again = `npm run webhooks -- replay ${name}`
      const remedy = `${again} sends its messages again, ${again} --after ${formatPlace(position.place)} those after the one that failed`
      logger.error({ webhook: name, cause }, `the webhook is paused: ${remedy}`)
      this.#end()
      return
    }
    if (isLogged(this.#failures))
      logger.warn({ webhook: name, failures: this.#failures, cause }, 'a webhook was not taken, and is sent again')
    await this.#pause(retryInMs)
  }

  async #move(position: ChannelPosition): Promise<void> {
    const { db, progress } = this.#options
    const isWritten = await this.#write(async () => (await moveWebhook(db, progress, position)) || null)
    if (isWritten !== null) this.#stored = position
  }

  /** Writes until the database has answered. @returns `null`: this webhook has ended, for example since its position has another owner */
  async #write<Written>(write: () => Promise<Written | null>): Promise<Written | null> {
    const { logger } = this.#options
    for (let failures = 1; !this.#stopped.signal.aborted; failures++) {
      try {
        const written = await write()
        if (written === null) this.#end()
        return written
      } catch (err) {
        if (isLogged(failures)) logger.warn({ err, webhook: this.config.name, failures }, 'the position of a webhook could not be stored')
        await this.#pause(this.#retries.firstMs)
      }
    }
    return null
  }

  #end(): void {
    this.#stopped.abort()
    this.#options.channel.unsubscribe(this)
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, this.#stopped.signal)
  }

  /** Whether the webhook has ended, perhaps by itself. */
  get isEnded(): boolean {
    return this.#stopped.signal.aborted
  }
}

/** An id that is the same for each attempt of a message, and differs between messages. */
function idOf(...parts: readonly (string | number)[]): string {
  return `msg_${hash('sha256', parts.join(' '), 'base64url').slice(0, 32)}`
}
