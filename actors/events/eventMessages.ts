import type { EventPlace } from '#domain/eventPlace.ts'
import { encodeFittingToken } from '#protocol/fittingToken.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import type { ChannelEvent } from '#resources/channelEvent.ts'
import { withUsd } from '#resources/token.ts'

/** Events of one block, as many as fit into a message; all of one status. */
export interface EventMessage {
  /** The place of its last event. */
  readonly place: EventPlace
  readonly status: ChannelEvent['status']
  /** A JSON array. */
  readonly data: string
  /** Size of `data` in UTF-8. */
  readonly bytes: number
}

/** The rest of a message takes less: type, cursor, block and an `id` of 64 escaped characters. */
const HEAD_BYTES = 1_024

/** Most bytes of a message's data. */
const DATA_BYTES = MAX_MESSAGE_BYTES - HEAD_BYTES

/** An event whose JSON is made once for all filters. */
export class EncodedEvent {
  readonly event: ChannelEvent
  readonly #ethUsd: string | null
  #encoded: EncodedText | null = null

  constructor(event: ChannelEvent, ethUsd: string | null) {
    this.event = event
    this.#ethUsd = ethUsd
  }

  get encoded(): EncodedText {
    if (this.#encoded === null) {
      const { data } = this.event
      const text = 'market' in data ? encodeFittingToken(withUsd(data, this.#ethUsd), DATA_BYTES - BRACKETS) : JSON.stringify(data)
      this.#encoded = { text, bytes: Buffer.byteLength(text) }
    }
    return this.#encoded
  }
}

interface EncodedText {
  readonly text: string
  readonly bytes: number
}

/** @param events in order */
export function eventMessages(events: readonly EncodedEvent[]): readonly EventMessage[] {
  const messages: EventMessage[] = []
  let taken: EncodedEvent[] = []
  let bytes = BRACKETS
  const finish = () => {
    const last = taken.at(-1)
    if (last === undefined) return
    const { place, status } = last.event
    messages.push({ place, status, data: `[${taken.map(({ encoded }) => encoded.text).join(',')}]`, bytes })
    taken = []
    bytes = BRACKETS
  }
  for (const one of events) {
    const before = taken.at(-1)?.event
    const isTogether = before?.place.blockNumber === one.event.place.blockNumber && before.status === one.event.status
    if (!isTogether || bytes + COMMA + one.encoded.bytes > DATA_BYTES) finish()
    bytes += (taken.length === 0 ? 0 : COMMA) + one.encoded.bytes
    taken.push(one)
  }
  finish()
  return messages
}

const BRACKETS = 2
const COMMA = 1
