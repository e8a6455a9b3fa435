import type { ChannelLink, ChannelSubscriber } from './channelLink.ts'
import type { ChannelMessage, GapMessage, GraduationsEvent, LaunchesEvent, LivePosition, TradesEvent } from './channelMessages.ts'
import { blockOf, isAfter, type Repair } from './gapRepair.ts'
import type { LiveOutput, LiveRun } from './liveMethod.ts'
import type { EventOptions, LiveEvent } from './liveTypes.ts'
import type { ClientExtension } from './tokenwire.ts'

/** Pause before the service is asked again for events that could not be read over REST. */
const RETRY_MS = 5_000

export interface EventChannelSpec<Event> {
  readonly channel: 'trades' | 'launches' | 'graduations'
  readonly filters: object
  readonly repair: Repair<Event>
}

/**
 * The events of a channel, each once and in order. The position moves with each; whenever the channel is subscribed to again, it continues
 * from there. Messages count only after a `subscribed` that names the position.
 */
export class LiveEvents<Event extends TradesEvent | LaunchesEvent | GraduationsEvent> implements ChannelSubscriber, LiveRun {
  readonly channel: EventChannelSpec<Event>['channel']
  readonly filters: object
  readonly #extension: ClientExtension
  readonly #output: LiveOutput<LiveEvent<Event>>
  readonly #repair: Repair<Event>
  #position: { readonly after: string; readonly reorgs?: number } | null
  #hasBegun = false
  #isInStep = false
  /** Addresses of the tokens that were delivered of the position's block. */
  #delivered = new Set<string>()
  #link: ChannelLink | null = null
  /** Ends the repair of a gap, or the wait for another attempt. */
  #repairing = new AbortController()

  constructor(
    extension: ClientExtension,
    { channel, filters, repair }: EventChannelSpec<Event>,
    { after, reorgs }: EventOptions,
    output: LiveOutput<LiveEvent<Event>>,
  ) {
    this.channel = channel
    this.filters = filters
    this.#extension = extension
    this.#output = output
    this.#repair = repair
    this.#position = after === undefined ? null : { after, ...(reorgs === undefined ? {} : { reorgs }) }
    this.resume()
  }

  // As properties: they are passed on without their object.
  readonly position = () => this.#position

  readonly receive = (message: ChannelMessage): void => {
    const { id: _, ...event } = message
    if (event.type === 'subscribed') {
      if ('cursor' in event) this.#subscribed(event)
    } else if (!this.#isInStep) return
    else if (event.type === 'gap') void this.#fill(event)
    else if (event.type === 'reorg') {
      if (event.reorgs > (this.#position?.reorgs ?? -1)) this.#deliver(event)
    } else if (event.type === this.channel) {
      const told = event as Event
      // A connection that repeats a message would otherwise tell an event twice.
      if (isAfter(told.cursor, this.#position?.after ?? '0-0')) this.#deliver(told)
    }
  }

  readonly end: ChannelSubscriber['end'] = error => {
    this.stop()
    this.#output.end(error)
  }

  stop(): void {
    this.pause()
  }

  pause(): void {
    this.#repairing.abort()
    this.#leave()
  }

  resume(): void {
    this.#link ??= this.#extension.subscribe(this)
  }

  #leave(): void {
    this.#isInStep = false
    this.#link?.close()
    this.#link = null
  }

  #subscribed({ cursor, reorgs }: LivePosition): void {
    const position = this.#position
    this.#isInStep = position === null || (position.after === cursor && (position.reorgs ?? reorgs) === reorgs)
    // Another connection has delivered since this one was asked.
    if (!this.#isInStep) this.#link?.restart()
    else if (this.#hasBegun) this.#position = { after: cursor, reorgs }
    else {
      this.#hasBegun = true
      this.#deliver({ type: 'begin', cursor, reorgs })
    }
  }

  #deliver(event: LiveEvent<Event>): void {
    const { cursor, reorgs } = event
    if (blockOf(cursor) !== blockOf(this.#position?.after ?? cursor)) this.#delivered = new Set()
    if ('data' in event) for (const item of event.data) if ('address' in item) this.#delivered.add(item.address)
    this.#position = { after: cursor, reorgs }
    this.#output.next(event)
  }

  /** Reads the gap over REST, then continues at its end. Meanwhile the service keeps what follows. */
  async #fill({ from, to, reorgs }: Omit<GapMessage, 'id'>): Promise<void> {
    this.#leave()
    this.#repairing = new AbortController()
    const { signal } = this.#repairing
    const { after, closed, onError } = this.#extension
    try {
      for await (const event of this.#repair({ from, to, reorgs, delivered: this.#delivered, signal })) {
        if (signal.aborted) return
        this.#deliver(event)
      }
    } catch (error) {
      if (signal.aborted || closed.aborted) return
      // Such as more makers than REST takes.
      const isRefused = (error as { readonly code?: string }).code === 'rejected'
      if (!isRefused) {
        onError(error)
        const cancel = after(RETRY_MS, () => this.resume())
        signal.addEventListener('abort', cancel)
        return
      }
      this.#deliver({ type: 'gap', from: this.#position?.after ?? from, cursor: to, reorgs })
    }
    if (signal.aborted) return
    this.#position = { after: to, reorgs }
    this.resume()
  }
}
