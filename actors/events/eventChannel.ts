import type { Logger } from 'pino'
import { type Coalesced, coalesce } from '#async/coalesce.ts'
import { type ChannelPosition, comparePlaces, type EventPlace, FIRST_PLACE, placeAfterReorg } from '#domain/eventPlace.ts'
import { getOrInsert } from '#domain/maps.ts'
import { EVENT_CHANNELS } from '#protocol/channels.ts'
import type { ChannelEvent, ChannelEvents, ChannelEventsQuery, EventChannelName } from '#resources/channelEvent.ts'
import { type EventFilter, type FilterGroup, FilterIndex } from './eventFilter.ts'
import { EncodedEvent, type EventMessage, type EventSubscriber, eventMessages } from './eventMessages.ts'

/** A position that the database has not reached after this time belongs to another database. */
const AHEAD_MS = 10_000

type Ready = { readonly subscriber: EventSubscriber; readonly filter: EventFilter; readonly position: ChannelPosition }

/** The state of a subscriber that has a position of its own. */
interface Behind {
  readonly filter: EventFilter
  readonly position: ResumePosition
  readonly sinceMs: number
  /** Whether `subscribed` has been called. */
  readonly isAnswered: boolean
}

/**
 * The actor of a channel of events over all tokens. Commits do not carry its events: after each commit it reads the new events and the
 * reorgs in one statement. Subscribers that follow share its position. A subscriber that resumes, or whose connection took no more, is
 * behind: it has a position of its own, and gets events from the database whenever its connection has written all messages. So a slow
 * reader costs a bounded buffer, and misses events only when there are more than `MAX_REPLAYED`.
 */
export class EventChannel {
  readonly #options: EventChannelOptions
  readonly #passes: Coalesced<null>
  readonly #following = new FilterIndex()
  readonly #filters = new Map<EventSubscriber, EventFilter>()
  /** The subscribers that are behind, in the order in which they fell behind. */
  readonly #behind = new Map<EventSubscriber, Behind>()
  /** The position of the subscribers that follow; `null`: not read yet. While none follows, it is read again. */
  #position: ChannelPosition | null = null
  #mustRetry = false
  readonly #pages: typeof PAGES

  constructor(options: EventChannelOptions) {
    this.#options = options
    this.#pages = options.pages ?? PAGES
    this.#passes = coalesce(
      () => this.#pass(),
      err => {
        this.#mustRetry = true
        options.logger.warn({ err, channel: options.channel }, 'events of a channel could not be read')
      },
    )
  }

  /** Adds a subscriber, which is answered later, through its methods. */
  subscribe(subscriber: EventSubscriber, filter: EventFilter, position: ResumePosition): void {
    this.#filters.set(subscriber, filter)
    this.#behind.set(subscriber, { filter, position, sinceMs: this.#options.now(), isAnswered: false })
    this.#passes.request(null)
  }

  unsubscribe(subscriber: EventSubscriber): void {
    const filter = this.#filters.get(subscriber)
    if (filter === undefined) return
    this.#filters.delete(subscriber)
    this.#behind.delete(subscriber)
    this.#following.remove(filter, subscriber)
  }

  /** To be called when the database shows a commit that changed tokens. */
  changed(): void {
    if (this.#filters.size > 0) this.#passes.request(null)
  }

  /** To be called when the subscriber's connection has written all messages. */
  drained(subscriber: EventSubscriber): void {
    if (this.#behind.has(subscriber)) this.#passes.request(null)
  }

  /** The position up to which a subscriber that follows has been told; `null`: it is behind. */
  positionOf(subscriber: EventSubscriber): ChannelPosition | null {
    return this.#filters.has(subscriber) && !this.#behind.has(subscriber) ? this.#position : null
  }

  /** Looks again after a failed read, and for subscribers that wait for a position. To be called every few seconds. */
  sweep(): void {
    if (this.#mustRetry || this.#behind.size > 0) this.#passes.request(null)
  }

  async stop(): Promise<void> {
    this.#passes.stop()
    this.#filters.clear()
    this.#behind.clear()
    await this.#passes.settled()
  }

  async #pass(): Promise<void> {
    this.#mustRetry = false
    do await this.#advance()
    while (await this.#catchUp())
  }

  /** Brings the subscribers that follow to the last event in the database. */
  async #advance(): Promise<void> {
    if (this.#filters.size === this.#behind.size) this.#position = null
    for (let isFull = this.#filters.size > 0; isFull; ) {
      const after = this.#position
      const read = await this.#read(after, null, this.#pages.following)
      if (after === null) {
        this.#position = { place: read.newest, reorgs: read.reorgs }
        return
      }
      if (isStale(read, after)) return
      const page = new EventPage(read, after, read.newest, this.#pages.following)
      this.#tellFollowing(page, after)
      isFull = page.isFull
    }
  }

  #tellFollowing(page: EventPage, after: ChannelPosition): void {
    const from = page.continueFrom(after.place)
    const { voidFrom } = page
    if (voidFrom !== null || page.isTooFar) this.#leaveUndrained(after)
    for (const { members } of this.#following.groups()) {
      for (const member of members) {
        if (voidFrom !== null) member.reorg(voidFrom, from)
        if (page.isTooFar) member.gap(from.place, page.end)
      }
    }
    this.#deliverToFollowing(this.#encoded(page), from)
    this.#position = page.end
  }

  /** Subscribers with unwritten messages fall behind, and get the reorg or gap from the database later, so that it needs no memory. */
  #leaveUndrained(position: ChannelPosition): void {
    for (const { filter, members } of this.#following.groups()) {
      for (const member of members) if (!member.isDrained) this.#fallBehind(member, filter, position)
    }
  }

  #deliverToFollowing(events: readonly EncodedEvent[], from: ChannelPosition): void {
    const fitting = new Map<FilterGroup, EncodedEvent[]>()
    for (const one of events) {
      for (const group of this.#following.fitting(one.event)) getOrInsert(fitting, group, () => []).push(one)
    }
    for (const [{ filter, members }, some] of fitting) {
      const messages = eventMessages(some, filter.of, this.#options.eventsPerMessage)
      for (const member of members) {
        const reached = deliverAll(member, messages, from)
        if (reached !== null) this.#fallBehind(member, filter, reached)
      }
    }
  }

  #fallBehind(subscriber: EventSubscriber, filter: EventFilter, position: ChannelPosition): void {
    this.#following.remove(filter, subscriber)
    // The subscriber goes to the end, because those that are behind take turns.
    this.#behind.delete(subscriber)
    this.#behind.set(subscriber, { filter, position, sinceMs: this.#options.now(), isAnswered: true })
  }

  /**
   * Brings the subscribers that are behind and can take more messages one page further. They share the page, so that many clients that
   * resume at once cost little more than one. Returns whether there may be more to do.
   */
  async #catchUp(): Promise<boolean> {
    const channel = this.#position
    if (channel === null) return false
    const ready = this.#readyBehind(channel)
    const [head] = ready
    if (head === undefined) return false
    const read = await this.#read(head.position, channel.place, this.#pages.behind)
    // Subscribers that follow learn of a reorg first. A database that lags behind is asked again later.
    if (read.reorgs !== channel.reorgs) return read.reorgs > channel.reorgs
    // The database lacks events up to the channel's place, as a replica may when it is used again.
    if (comparePlaces(read.newest, channel.place) < 0) return false
    const page = new EventPage(read, head.position, channel.place, this.#pages.behind)
    const events = this.#encoded(page)
    for (const { subscriber, filter, position } of ready) {
      // Subscribers may have left while the page was read.
      if (!this.#behind.has(subscriber) || !page.covers(position)) continue
      const from = page.continueFrom(position.place)
      // Also when the position is before the reorg: a reader that stores it now and then has more than it says.
      if (page.voidFrom !== null) subscriber.reorg(page.voidFrom, from)
      if (page.isTooFar) subscriber.gap(from.place, page.end)
      const later = events.filter(({ event }) => comparePlaces(event.place, from.place) > 0 && filter.fits(event))
      const reached = deliverAll(subscriber, eventMessages(later, filter.of, this.#options.eventsPerMessage), from)
      if (reached === null && !page.isFull) this.#follow(subscriber, filter)
      else this.#fallBehind(subscriber, filter, reached ?? page.end)
    }
    return true
  }

  /** The subscribers that are behind the channel and can take more messages. */
  #readyBehind(channel: ChannelPosition): readonly Ready[] {
    const ready: Ready[] = []
    for (const [subscriber, entry] of this.#behind) {
      if (!subscriber.isDrained) continue
      const { filter, sinceMs, isAnswered } = entry
      const position = { place: entry.position.place ?? channel.place, reorgs: entry.position.reorgs ?? channel.reorgs }
      if (!isAnswered) {
        subscriber.subscribed(position)
        this.#behind.set(subscriber, { filter, position, sinceMs, isAnswered: true })
      }
      if (!isAhead(position, channel)) ready.push({ subscriber, filter, position })
      else if (this.#options.now() - sinceMs >= AHEAD_MS) this.#giveUp(subscriber, filter, channel)
    }
    return ready
  }

  /**
   * Has a subscriber follow whose position belongs to another database, or is made up. The reorg sets the position to the channel's
   * beginning, so that a client that loses its connection before the gap, and resumes from the beginning, learns of the gap.
   */
  #giveUp(subscriber: EventSubscriber, filter: EventFilter, channel: ChannelPosition): void {
    subscriber.reorg(0, { place: FIRST_PLACE, reorgs: channel.reorgs })
    subscriber.gap(FIRST_PLACE, channel)
    this.#follow(subscriber, filter)
  }

  #follow(subscriber: EventSubscriber, filter: EventFilter): void {
    this.#behind.delete(subscriber)
    this.#following.add(filter, subscriber)
  }

  #read(after: ChannelPosition | null, through: EventPlace | null, limit: number): Promise<ChannelEvents> {
    const { channel, read } = this.#options
    return read({ channel, after, through, limit })
  }

  #encoded({ events }: EventPage): readonly EncodedEvent[] {
    const ethUsd = this.#options.ethUsd()
    return events.map(event => new EncodedEvent(event, ethUsd))
  }
}

/** Delivers messages in order. Returns the position at which the subscriber stopped taking them; `null`: it took all. */
function deliverAll(
  subscriber: EventSubscriber,
  messages: readonly EventMessage[],
  { place, reorgs }: ChannelPosition,
): ChannelPosition | null {
  let reached = place
  for (const message of messages) {
    if (!subscriber.deliver(message, reorgs)) return { place: reached, reorgs }
    reached = message.place
  }
  return null
}

export interface EventChannelOptions {
  readonly channel: EventChannelName
  readonly read: (query: ChannelEventsQuery) => Promise<ChannelEvents>
  /** USD per ETH as a plain decimal; `null`: no price may be shown. */
  readonly ethUsd: () => string | null
  readonly logger: Logger
  readonly now: () => number
  /** The most events that are read at once. Default: `PAGES`. */
  readonly pages?: typeof PAGES
  /** The most events in a message. Default: as many as fit. */
  readonly eventsPerMessage?: number
}

/** Page sizes for subscribers that follow, and for those that are behind: one of the latter takes about as many events at once. */
const PAGES = { following: 1_000, behind: 100 }

/** The channels of events over all tokens, one actor per channel. A channel without subscribers reads nothing. */
export interface EventChannels {
  of(channel: EventChannelName): Pick<EventChannel, 'subscribe' | 'unsubscribe' | 'drained'>
  /** To be called when the database shows a commit that changed tokens. */
  changed(): void
  /** To be called every few seconds. */
  sweep(): void
  stop(): Promise<void>
}

export function createEventChannels(options: Omit<EventChannelOptions, 'channel'>): EventChannels {
  const channels = new Map<EventChannelName, EventChannel>(
    EVENT_CHANNELS.map(channel => [channel, new EventChannel({ ...options, channel })]),
  )
  return {
    of(name) {
      const channel = channels.get(name)
      if (channel === undefined) throw new TypeError(`there is no channel ${name}`)
      return channel
    },
    changed() {
      for (const channel of channels.values()) channel.changed()
    },
    sweep() {
      for (const channel of channels.values()) channel.sweep()
    },
    async stop() {
      for (const channel of channels.values()) await channel.stop()
    },
  }
}

/** Events that were read after one position. Readers at other positions share them if the page covers these. */
export class EventPage {
  readonly events: readonly ChannelEvent[]
  /** Whether more than `MAX_REPLAYED` events follow the position, so that no event was read. */
  readonly isTooFar: boolean
  /** Whether further events may follow. */
  readonly isFull: boolean
  /** The position of a reader that has taken the page. */
  readonly end: ChannelPosition
  /** The first block that reorgs have made void since the position; `null`: there was no reorg. */
  readonly voidFrom: number | null
  readonly #asked: ChannelPosition
  readonly #channelEnd: EventPlace

  /**
   * @param asked the position after which events were read
   * @param channelEnd the channel's own position, which readers of its last page reach
   * @param size the limit of the read
   */
  constructor({ events, isTooFar, reorgs, voidFrom }: ChannelEvents, asked: ChannelPosition, channelEnd: EventPlace, size: number) {
    this.events = events
    this.isTooFar = isTooFar
    this.isFull = events.length >= size
    this.end = { place: (this.isFull ? events.at(-1)?.place : undefined) ?? channelEnd, reorgs }
    this.#asked = asked
    this.voidFrom = voidFrom
    this.#channelEnd = channelEnd
  }

  /**
   * Whether the page has every event between a position and the page's end. A page without events because there are too many covers the
   * positions from which there are as many or more.
   */
  covers({ place, reorgs }: ChannelPosition): boolean {
    if (reorgs !== this.#asked.reorgs) return false
    const from = this.#afterReorg(place)
    const toStart = comparePlaces(from, this.#afterReorg(this.#asked.place))
    return this.isTooFar ? toStart <= 0 : toStart >= 0 && comparePlaces(from, this.end.place) <= 0
  }

  /**
   * Where a reader of the page begins.
   *
   * @param place of a position that the page covers
   */
  continueFrom(place: EventPlace): ChannelPosition {
    return { place: this.#afterReorg(place), reorgs: this.end.reorgs }
  }

  /** Moves a place before void events. While nothing is indexed, the end of the channel is before every void block. */
  #afterReorg(place: EventPlace): EventPlace {
    const next = placeAfterReorg(place, this.voidFrom)
    return comparePlaces(next, this.#channelEnd) > 0 ? this.#channelEnd : next
  }
}

/** The position at which a subscriber begins. The channel has the value of a `null` part: without `reorgs`, only later reorgs are told. */
export interface ResumePosition {
  readonly place: EventPlace | null
  readonly reorgs: number | null
}

/** Whether events were read from a replica that lags behind. */
function isStale({ reorgs, voidFrom, newest }: ChannelEvents, after: ChannelPosition): boolean {
  return reorgs < after.reorgs || (voidFrom === null && comparePlaces(newest, after.place) < 0)
}

/** Whether the channel has not reached the position yet. */
function isAhead({ place, reorgs }: ChannelPosition, channel: ChannelPosition): boolean {
  return reorgs > channel.reorgs || (reorgs === channel.reorgs && comparePlaces(place, channel.place) > 0)
}
