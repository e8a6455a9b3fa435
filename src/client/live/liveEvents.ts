import { Ending } from '#client/ending.ts'
import type { LiveOutput, LiveRun } from '#client/follow.ts'
import type {
  CrossingsEvent,
  EventsSubscribed,
  GapMessage,
  GraduationsEvent,
  LaunchesEvent,
  LivePosition,
  ReorgEvent,
  TradesEvent,
} from '#client/generated/types.ts'
import { isRefusal } from '#client/reading.ts'
import { pollMs } from '#client/timers.ts'
import type { ClientExtension } from '#client/tokenwire.ts'
import { blockOf, isAfter, type Repair } from './gapRepair.ts'
import type { EventOptions, LiveEvent } from './liveTypes.ts'
import { type ChannelLink, type ChannelSubscriber, subscribeChannel } from './subscribeChannel.ts'

/** Pause before the service is asked again for events that could not be read over REST. It grows. */
const RETRY_MS = 5_000

/** A message of one block's events. */
export type AnyEvent = TradesEvent | LaunchesEvent | GraduationsEvent | CrossingsEvent

type Message = EventsSubscribed | AnyEvent | ReorgEvent | GapMessage

export interface EventChannelSpec<Event> {
  readonly channel: 'trades' | 'launches' | 'graduations' | 'crossings'
  readonly filters: object
  /** `null`: missed events are reported as a gap. */
  readonly repair: Repair<Event> | null
}

/**
 * The events of a channel, each once and in order. The position moves with each event; whenever the channel is subscribed to again, it
 * continues from there. Messages count only after a `subscribed` that names the position.
 */
export class LiveEvents<Event extends AnyEvent> implements ChannelSubscriber<Message>, LiveRun {
  readonly channel: EventChannelSpec<Event>['channel']
  readonly filters: object
  readonly #extension: ClientExtension
  readonly #output: LiveOutput<LiveEvent<Event>>
  readonly #repair: Repair<Event> | null
  #position: { readonly after: string; readonly reorgs?: number } | null
  #hasBegun = false
  /** Failed attempts in a row to repair a gap. */
  #failures = 0
  #isInStep = false
  /** Whether the position is not the server's: the next subscription then begins at this position, even without repair. */
  #isAhead = false
  /** Addresses of the tokens of the position's block that were delivered. */
  #delivered = new Set<string>()
  #link: ChannelLink | null = null
  /** Ends the repair of a gap, or the wait for another attempt. */
  #repairing = new Ending()

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

  // Properties instead of methods, because they are passed on without their object.
  readonly position = () => (this.#repair === null && this.#hasBegun && !this.#isAhead ? null : this.#position)

  readonly isLive = (): boolean => this.#isInStep && !!this.#link?.isLive()

  readonly receive = (event: Message): void => {
    if (event.type === 'subscribed') this.#subscribed(event)
    else if (!this.#isInStep) return
    else if (event.type === 'gap') {
      if (this.#repair === null) this.#deliver({ type: 'gap', from: event.from, cursor: event.to, reorgs: event.reorgs })
      else void this.#fill(event, this.#repair)
    } else if (event.type === 'reorg') {
      // From block 0: the index was rebuilt, and its reorgs are counted anew.
      if (event.reorgs > (this.#position?.reorgs ?? -1) || event.fromBlock === '0') this.#deliver(event)
    } else if (event.type === this.channel) {
      // A connection that repeats a message would otherwise deliver an event twice.
      if (isAfter(event.cursor, this.#position?.after ?? '0-0')) this.#deliver(event as Event)
    }
  }

  readonly end: ChannelSubscriber<Message>['end'] = error => {
    this.pause()
    this.#output.end(error)
  }

  readonly pause = (): void => {
    this.#repairing.abort()
    this.#leave()
  }

  resume(): void {
    this.#repairing.abort()
    const signal = (this.#repairing = new Ending())
    this.#link ??= subscribeChannel(this.#extension, this)
    // A listener of the client's state may have ended this query meanwhile.
    if (signal.aborted) this.#leave()
  }

  #leave(): void {
    this.#isInStep = false
    this.#link?.close()
    this.#link = null
  }

  #subscribed({ cursor, reorgs }: LivePosition): void {
    const { after, reorgs: known = reorgs } = this.#position ?? { after: cursor }
    const isHere = after === cursor && known === reorgs
    this.#isInStep = isHere || (this.#repair === null && isAfter(cursor, after))
    this.#isAhead = !this.#isInStep
    if (this.#isAhead) {
      // Another connection has delivered since this one subscribed, or this server is behind.
      this.#leave()
      this.resume()
    } else if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#deliver({ type: 'begin', cursor, reorgs })
    } else if (isHere) this.#position = { after: cursor, reorgs }
    else this.#deliver({ type: 'gap', from: after, cursor, reorgs })
  }

  #deliver(event: LiveEvent<Event>): void {
    const { cursor, reorgs } = event
    if (blockOf(cursor) !== blockOf(this.#position?.after ?? cursor)) this.#delivered = new Set()
    if ('data' in event) for (const item of event.data) if ('address' in item) this.#delivered.add(item.address)
    this.#position = { after: cursor, reorgs }
    this.#output.next(event)
  }

  /** Reads the gap over REST, then continues at its end. Meanwhile the service keeps the events that follow. */
  async #fill({ from, to, reorgs }: GapMessage, repair: Repair<Event>): Promise<void> {
    this.#leave()
    const signal = this.#repairing
    const { timers, random, closed, pauses } = this.#extension
    try {
      for await (const event of repair({ from, to, reorgs, delivered: this.#delivered, signal })) {
        if (signal.aborted) return
        this.#deliver(event)
      }
    } catch (error) {
      if (signal.aborted || closed.aborted) return
      // A refused request, for example with more makers than REST takes, is not repeated.
      if (!isRefusal(error)) {
        this.#output.failed(error)
        if (signal.aborted) return
        const retry = () => this.resume()
        const cancel = timers.after(pollMs(RETRY_MS, random, this.#failures++), retry)
        pauses.add(retry)
        signal.addEventListener('abort', () => {
          cancel()
          pauses.delete(retry)
        })
        return
      }
      this.#deliver({ type: 'gap', from: this.#position?.after ?? from, cursor: to, reorgs })
    }
    if (signal.aborted || closed.aborted) return
    this.#failures = 0
    this.#position = { after: to, reorgs }
    this.resume()
  }
}
