import type { Address } from '#domain/address.ts'
import type { ChannelPosition } from '#domain/eventPlace.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { withTrades } from '#protocol/withTrades.ts'
import { positionOf, type RecentTrades, tradesSince } from '#resources/recentTrades.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'
import { snapshotWithUsd } from '#resources/tokenSnapshot.ts'
import { withoutHolders } from './withoutHolders.ts'

/** A message as the transports send it. All receivers share the bytes, which never change. */
export interface EncodedMessage {
  /** A WebSocket text message: JSON in UTF-8, at most 16,384 bytes. */
  readonly webSocket: Uint8Array
  /** The same as an event of a `text/event-stream`, made for the first stream. */
  readonly eventStream: Uint8Array
}

/** One encoded state of a token, for all subscribers. */
export interface Frame {
  readonly token: Address
  readonly sequence: number
  /** Monotonic time in ms at which its commit completed; `null`: the state was read from the database later. */
  readonly completedAtMs: number | null
  /** A receiver of the frame has the trades up to here. The same object in all frames of a state. */
  readonly position: ChannelPosition
  /** The message for receivers that have the trades up to a position; `null`: not known. Made for the first such receiver. */
  since(position: ChannelPosition | null): EncodedMessage
  /** The same without holders, made for the first subscription that asks for it. */
  readonly withoutHolders: Frame
}

const encoder = new TextEncoder()
const END_OF_EVENT = encoder.encode('\n\n')

class EncodedUpdateMessage implements EncodedMessage {
  readonly webSocket: Uint8Array
  readonly #sequence: number
  #eventStream: Uint8Array | null = null

  constructor(sequence: number, webSocket: Uint8Array) {
    this.#sequence = sequence
    this.webSocket = webSocket
  }

  get eventStream(): Uint8Array {
    this.#eventStream ??= Buffer.concat([
      encoder.encode(`event: token.update\nid: ${this.#sequence}\ndata: `),
      this.webSocket,
      END_OF_EVENT,
    ])
    return this.#eventStream
  }
}

type FrameFacts = Pick<Frame, 'token' | 'sequence' | 'completedAtMs' | 'position'>

class EncodedFrame implements Frame {
  readonly token: Address
  readonly sequence: number
  readonly completedAtMs: number | null
  readonly position: ChannelPosition
  readonly #recent: RecentTrades
  /** The beginning of all messages. Once there is a message, this is a view of its bytes, so that they are not kept twice. */
  #beginning: Uint8Array
  /** Messages by the trades that they carry: receivers that were sent different states may lack the same trades. */
  readonly #messages = new Map<string, EncodedMessage>()
  /** The position that was asked for last, and its message: nearly all receivers were sent the same state before. */
  #lastSince: ChannelPosition | null | undefined = undefined
  #lastMessage: EncodedMessage | null = null
  #withoutHolders: Frame | null = null

  constructor({ token, sequence, completedAtMs, position }: FrameFacts, recent: RecentTrades, beginning: Uint8Array) {
    this.token = token
    this.sequence = sequence
    this.completedAtMs = completedAtMs
    this.position = position
    this.#recent = recent
    this.#beginning = beginning
  }

  /** Size of the update without its trades. */
  get stateBytes(): number {
    return this.#beginning.length
  }

  since(position: ChannelPosition | null): EncodedMessage {
    if (this.#lastMessage === null || position !== this.#lastSince) {
      this.#lastMessage = this.#messageSince(position)
      this.#lastSince = position
    }
    return this.#lastMessage
  }

  get withoutHolders(): Frame {
    this.#withoutHolders ??= new EncodedFrame(this, this.#recent, withoutHolders(this.#beginning))
    return this.#withoutHolders
  }

  #messageSince(position: ChannelPosition | null): EncodedMessage {
    const since = tradesSince(this.#recent, position)
    const key = `${since.trades?.length} ${since.replacedFrom}`
    const known = this.#messages.get(key)
    if (known !== undefined) return known
    const message = new EncodedUpdateMessage(this.sequence, withTrades(this.#beginning, since))
    if (this.#messages.size === 0) this.#beginning = message.webSocket.subarray(0, this.#beginning.length)
    this.#messages.set(key, message)
    return message
  }
}

/** Encoded on first use, and again when the ETH/USD price has changed, so that a later subscriber is not sent an old price. */
export class FramedSnapshot {
  readonly snapshot: TokenSnapshot
  readonly sequence: number
  readonly position: ChannelPosition
  readonly #completedAtMs: number | null
  #frame: EncodedFrame | null = null
  #ethUsd: string | null = null

  constructor(snapshot: TokenSnapshot, completedAtMs: number | null) {
    this.snapshot = snapshot
    this.sequence = snapshot.token.sequence
    this.position = positionOf(snapshot.recent)
    this.#completedAtMs = completedAtMs
  }

  /** @throws `RangeError` when the state can't be encoded in 16,384 bytes */
  frame(ethUsd: string | null): Frame {
    if (this.#frame === null || this.#ethUsd !== ethUsd) {
      const { bytes } = encodeUpdate(snapshotWithUsd(this.snapshot, ethUsd))
      const { token, recent } = this.snapshot
      const { sequence, position } = this
      this.#frame = new EncodedFrame({ token: token.address, sequence, completedAtMs: this.#completedAtMs, position }, recent, bytes)
      this.#ethUsd = ethUsd
    }
    return this.#frame
  }

  get frameBytes(): number | null {
    return this.#frame?.stateBytes ?? null
  }
}
