import { type ChannelPosition, comparePlaces, type EventPlace, placeAfterReorg } from '#domain/eventPlace.ts'
import type { ChannelEvent, ChannelEvents } from '#resources/channelEvent.ts'

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
