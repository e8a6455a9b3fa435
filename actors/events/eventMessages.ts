import { type ChannelPosition, type EventPlace, formatPlace } from '#domain/eventPlace.ts'
import { encodeFittingToken } from '#protocol/encodeUpdate.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import { type ChannelEvent, type CrossedValue, crossingOf, type EventChannelName } from '#resources/channelEvent.ts'
import { withUsd } from '#resources/token.ts'

/** A message with events of one block and one status, as many as fit. */
export interface EventMessage {
  /** The place of its first event. */
  readonly first: EventPlace
  /** As in `ChannelEvent`. */
  readonly voids: number
  /** The place of its last event. */
  readonly place: EventPlace
  readonly status: ChannelEvent['status']
  /** The events as a JSON array. */
  readonly data: string
  /** The size of `data` in UTF-8. */
  readonly bytes: number
}

/** The most bytes of a message besides its data: type, cursor, block and an `id` of 64 escaped characters. */
const HEAD_BYTES = 1_024

/** The most bytes of a message's data. */
const DATA_BYTES = MAX_MESSAGE_BYTES - HEAD_BYTES

/** An event whose JSON is made once for all filters. That of a crossing is made once for each value that filters compare. */
export class EncodedEvent {
  readonly event: ChannelEvent
  readonly #ethUsd: string | null
  readonly #encoded = new Map<CrossedValue | null, EncodedText>()

  constructor(event: ChannelEvent, ethUsd: string | null) {
    this.event = event
    this.#ethUsd = ethUsd
  }

  /** @param of the value that a filter compares; `null`: none */
  encoded(of: CrossedValue | null): EncodedText {
    let encoded = this.#encoded.get(of)
    if (encoded === undefined) {
      const text = this.#textOf(of)
      encoded = { text, bytes: Buffer.byteLength(text) }
      this.#encoded.set(of, encoded)
    }
    return encoded
  }

  #textOf(of: CrossedValue | null): string {
    const { data } = this.event
    if ('market' in data) return encodeFittingToken(withUsd(data, this.#ethUsd), DATA_BYTES - BRACKETS)
    if (!('values' in data)) return JSON.stringify(data)
    if (of === null) throw new TypeError('a filter of crossings names no value')
    const { token, ...crossing } = crossingOf(data, of)
    const rest = JSON.stringify(crossing)
    return `{"token":${encodeFittingToken(token, DATA_BYTES - BRACKETS - TOKEN_FIELD - rest.length)},${rest.slice(1)}`
  }
}

interface EncodedText {
  readonly text: string
  readonly bytes: number
}

/**
 * Puts events into messages.
 *
 * @param events in order
 * @param of as in `EncodedEvent.encoded`
 * @param most the most events in a message
 */
export function eventMessages(
  events: readonly EncodedEvent[],
  of: CrossedValue | null = null,
  most = Number.POSITIVE_INFINITY,
): readonly EventMessage[] {
  const messages: EventMessage[] = []
  let taken: EncodedEvent[] = []
  let bytes = BRACKETS
  const finish = () => {
    const [first] = taken
    const last = taken.at(-1)
    if (first === undefined || last === undefined) return
    const { place, status, voids = 0 } = last.event
    messages.push({
      first: first.event.place,
      place,
      voids,
      status,
      data: `[${taken.map(event => event.encoded(of).text).join(',')}]`,
      bytes,
    })
    taken = []
    bytes = BRACKETS
  }
  for (const one of events) {
    const before = taken.at(-1)?.event
    const isTogether = before?.place.blockNumber === one.event.place.blockNumber && before.status === one.event.status
    if (!isTogether || taken.length === most || bytes + COMMA + one.encoded(of).bytes > DATA_BYTES) finish()
    bytes += (taken.length === 0 ? 0 : COMMA) + one.encoded(of).bytes
    taken.push(one)
  }
  finish()
  return messages
}

const BRACKETS = 2
/** `{"token":` */
const TOKEN_FIELD = 9
const COMMA = 1

/* The JSON of a channel's messages, for connections and webhooks. `id` is the id of the subscription. */

export function eventsText(channel: EventChannelName, id: string, { place, status, data }: EventMessage, reorgs: number): string {
  const statusField = status === null ? '' : `"status":"${status}",`
  return textOf(channel, id, `${positionFields({ place, reorgs })},"block":"${place.blockNumber}",${statusField}"data":${data}`)
}

export function reorgText(id: string, fromBlock: number, position: ChannelPosition): string {
  return textOf('reorg', id, `"fromBlock":"${fromBlock}",${positionFields(position)}`)
}

export function gapText(id: string, from: EventPlace, { place, reorgs }: ChannelPosition): string {
  return textOf('gap', id, `"from":"${formatPlace(from)}","to":"${formatPlace(place)}","reorgs":${reorgs}`)
}

export function textOf(type: string, id: string, fields: string): string {
  return `{"type":"${type}","id":${JSON.stringify(id)},${fields}}`
}

export function positionFields({ place, reorgs }: ChannelPosition): string {
  return `"cursor":"${formatPlace(place)}","reorgs":${reorgs}`
}

/**
 * One connection's interest in a channel, as the channel sees it. The gateway implements it. No method waits, throws or calls back into the
 * channel: each only notes what the connection has to write.
 */
export interface EventSubscriber {
  /** Whether no message waits to be written. `EventChannel.drained` tells the channel when this becomes true. */
  readonly isDrained: boolean
  /** Comes before all other calls. The events that follow are later than the position. */
  subscribed(position: ChannelPosition): void
  /** Takes a message. Returns `false` if too much waits already, so that it was not taken. */
  deliver(message: EventMessage, reorgs: number): boolean
  /** Says that the delivered events of `fromBlock` and later blocks are void, if there are any. The events that replace them follow. */
  reorg(fromBlock: number, position: ChannelPosition): void
  /** Says that the events after `from`, up to the position, are not delivered. */
  gap(from: EventPlace, position: ChannelPosition): void
}
