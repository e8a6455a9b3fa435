import type { ChannelEvent, ChannelEvents } from '#domain/channelEvent.ts'
import { type ChannelPosition, comparePlaces, type EventPlace, placeAfterReorg } from '#domain/eventPlace.ts'

/** Where a reader goes on with a page. */
export interface Continuation {
  readonly from: ChannelPosition
  /** The first block of which the reader has void events; `null`: it has none. */
  readonly voidFrom: number | null
}

/** The events that were read for one position. Readers at other positions of it share them. */
export class EventPage {
  readonly events: readonly ChannelEvent[]
  /** There are more than `MAX_REPLAYED` events after the position, and the page has none. */
  readonly isTooFar: boolean
  /** Further events may follow. */
  readonly isFull: boolean
  /** Where a reader is that has taken the page. */
  readonly end: ChannelPosition
  readonly #asked: ChannelPosition
  readonly #voidFrom: number | null
  readonly #channelEnd: EventPlace

  /**
   * @param asked the position that was read for
   * @param channelEnd no reader comes further
   * @param size the most events that could be read
   */
  constructor({ events, isTooFar, reorgs, voidFrom }: ChannelEvents, asked: ChannelPosition, channelEnd: EventPlace, size: number) {
    this.events = events
    this.isTooFar = isTooFar
    this.isFull = events.length === size
    this.end = { place: (this.isFull ? events.at(-1)?.place : undefined) ?? channelEnd, reorgs }
    this.#asked = asked
    this.#voidFrom = voidFrom
    this.#channelEnd = channelEnd
  }

  /** Whether the page has all events after the position up to its end, or, where there are too many, is too far from it as well. */
  covers({ place, reorgs }: ChannelPosition): boolean {
    if (reorgs !== this.#asked.reorgs) return false
    const from = this.#afterReorg(place)
    const toStart = comparePlaces(from, this.#afterReorg(this.#asked.place))
    return this.isTooFar ? toStart <= 0 : toStart >= 0 && comparePlaces(from, this.end.place) <= 0
  }

  /** @param place of a position that the page covers */
  continueFrom(place: EventPlace): Continuation {
    const from = this.#afterReorg(place)
    return { from: { place: from, reorgs: this.end.reorgs }, voidFrom: from === place ? null : this.#voidFrom }
  }

  /** While nothing is indexed, the end of the channel is before every block that a reorg made void. */
  #afterReorg(place: EventPlace): EventPlace {
    const next = placeAfterReorg(place, this.#voidFrom)
    return comparePlaces(next, this.#channelEnd) > 0 ? this.#channelEnd : next
  }
}
