import type { Address } from '#domain/address.ts'
import type { ChannelPosition } from '#domain/eventPlace.ts'
import { encodeDelta } from '#protocol/encodeDelta.ts'
import { encodeUpdate, type UpdatedState, withTrades } from '#protocol/encodeUpdate.ts'
import { snapshotWithUsd, type TokenSnapshot } from '#resources/token.ts'
import { positionOf, type RecentTrades, tradesSince } from '#resources/trades.ts'

/** A message in the forms that the transports send. All receivers share the bytes, which never change. */
export interface EncodedMessage {
  /** The message as a WebSocket text: JSON in UTF-8, at most 16,384 bytes. */
  readonly webSocket: Uint8Array
  /** The message as an event of a `text/event-stream`. It is made for the first stream. */
  readonly eventStream: Uint8Array
}

/** One encoded state of a token, for all subscribers. */
export interface Frame {
  readonly token: Address
  readonly sequence: number
  /** The time at which its commit completed, in monotonic ms; `null`: the state was read from the database later. */
  readonly completedAtMs: number | null
  /** The position up to which a receiver of the frame has the trades. It is the same object in all frames of a state. */
  readonly position: ChannelPosition
  /** The message for receivers that have the trades up to a position; `null`: it is not known. It is made for the first such receiver. */
  since(position: ChannelPosition | null): EncodedMessage
  /** The message for receivers of deltas whose last sent state is `sent`: the smaller one of a delta and a full update. */
  from(sent: SentState): EncodedMessage
  /** Notes that a receiver of deltas was sent this frame after `before` (`null`: nothing). Returns its last sent state from now on. */
  received(before: SentState | null): SentState
  /** This frame without holders, made for the first subscription that asks for it. */
  readonly withoutHolders: Frame
}

const encoder = new TextEncoder()
const END_OF_EVENT = encoder.encode('\n\n')

class EncodedStateMessage implements EncodedMessage {
  readonly webSocket: Uint8Array
  readonly #type: 'token.update' | 'token.delta'
  readonly #sequence: number
  #eventStream: Uint8Array | null = null

  constructor(type: 'token.update' | 'token.delta', sequence: number, webSocket: Uint8Array) {
    this.#type = type
    this.#sequence = sequence
    this.webSocket = webSocket
  }

  get eventStream(): Uint8Array {
    this.#eventStream ??= Buffer.concat([
      encoder.encode(`event: ${this.#type}\nid: ${this.#sequence}\ndata: `),
      this.webSocket,
      END_OF_EVENT,
    ])
    return this.#eventStream
  }
}

interface FrameFacts extends Pick<Frame, 'token' | 'sequence' | 'completedAtMs' | 'position'> {
  readonly recent: RecentTrades
  readonly sentStates: SentStates
}

class EncodedFrame implements Frame {
  readonly token: Address
  readonly sequence: number
  readonly completedAtMs: number | null
  readonly position: ChannelPosition
  readonly #facts: FrameFacts
  readonly #update: UpdatedState
  readonly #sent: SentState
  /** The beginning of all full updates. Once there is one, this is a view of its bytes, so that they are not kept twice. */
  #beginning: Uint8Array
  /** Full updates by their trades, which receivers of different states may share, and deltas by the state that they change. */
  readonly #messages = new Map<string | SentState, EncodedMessage>()
  /** The last position of `since` and its message: nearly all receivers were sent the same state before. */
  #lastSince: ChannelPosition | null | undefined = undefined
  #lastMessage: EncodedMessage | null = null
  /** The last state of `from` and its message. */
  #lastSent: SentState | null = null
  #lastMessageFrom: EncodedMessage | null = null
  #withoutHolders: Frame | null = null

  constructor(facts: FrameFacts, update: UpdatedState, beginning: Uint8Array) {
    this.token = facts.token
    this.sequence = facts.sequence
    this.completedAtMs = facts.completedAtMs
    this.position = facts.position
    this.#facts = facts
    this.#update = update
    this.#sent = new SentState(facts.position, facts.sentStates)
    this.#beginning = beginning
  }

  /** The size of the update in bytes, without its trades. */
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

  from(sent: SentState): EncodedMessage {
    if (this.#lastMessageFrom === null || sent !== this.#lastSent) {
      this.#lastMessageFrom = this.#messageFrom(sent)
      this.#lastSent = sent
    }
    return this.#lastMessageFrom
  }

  received(before: SentState | null): SentState {
    this.#sent.receive(this.#update)
    before?.release()
    return this.#sent
  }

  get withoutHolders(): Frame {
    this.#withoutHolders ??= new EncodedFrame(this.#facts, { ...this.#update, holders: [] }, withoutHolders(this.#beginning))
    return this.#withoutHolders
  }

  #messageSince(position: ChannelPosition | null): EncodedMessage {
    const since = tradesSince(this.#facts.recent, position)
    const key = `${since.trades?.length} ${since.replacedFrom}`
    const known = this.#messages.get(key)
    if (known !== undefined) return known
    const message = new EncodedStateMessage('token.update', this.sequence, withTrades(this.#beginning, since))
    if (this.#messages.size === 0) this.#beginning = message.webSocket.subarray(0, this.#beginning.length)
    this.#messages.set(key, message)
    return message
  }

  #messageFrom(sent: SentState): EncodedMessage {
    const full = this.since(sent.position)
    // A state may be sent again in another form, with or without holders, for which there is no delta.
    if (sent.update === null || sent.update.sequence === this.sequence) return full
    const known = this.#messages.get(sent)
    if (known !== undefined) return known
    const delta = encodeDelta(sent.update, this.#update, tradesSince(this.#facts.recent, sent.position))
    const isSmaller = delta !== null && delta.length < full.webSocket.length
    const message = isSmaller ? new EncodedStateMessage('token.delta', this.sequence, delta) : full
    this.#messages.set(sent, message)
    return message
  }
}

/** A snapshot that is encoded on first use, and again when the price of ETH has changed, so that no subscriber is sent an old price. */
export class FramedSnapshot {
  readonly snapshot: TokenSnapshot
  readonly sequence: number
  readonly position: ChannelPosition
  readonly sentStates: SentStates
  readonly #completedAtMs: number | null
  #frame: EncodedFrame | null = null
  #ethUsd: string | null = null

  constructor(snapshot: TokenSnapshot, completedAtMs: number | null, sentStates = new SentStates()) {
    this.snapshot = snapshot
    this.sentStates = sentStates
    this.sequence = snapshot.token.sequence
    this.position = positionOf(snapshot.recent)
    this.#completedAtMs = completedAtMs
  }

  /** @throws `RangeError` when the state can't be encoded in 16,384 bytes */
  frame(ethUsd: string | null): Frame {
    if (this.#frame === null || this.#ethUsd !== ethUsd) {
      const { update, bytes } = encodeUpdate(snapshotWithUsd(this.snapshot, ethUsd))
      const { token, recent } = this.snapshot
      const { sequence, position, sentStates } = this
      const facts = { token: token.address, sequence, completedAtMs: this.#completedAtMs, position, recent, sentStates }
      this.#frame = new EncodedFrame(facts, update, bytes)
      this.#ethUsd = ethUsd
    }
    return this.#frame
  }

  get frameBytes(): number | null {
    return this.#frame?.stateBytes ?? null
  }
}

/**
 * A state in the form in which subscribers were sent it, which their next delta changes. It is kept as long as it is the last one that
 * some subscriber with deltas was sent. A subscriber whose state is not kept gets a full update.
 */
export class SentState {
  readonly position: ChannelPosition
  readonly #recent: SentStates
  #update: UpdatedState | null = null
  #receivers = 0

  constructor(position: ChannelPosition, recent: SentStates) {
    this.position = position
    this.#recent = recent
  }

  /** The sent form; `null`: it is no longer kept. */
  get update(): UpdatedState | null {
    return this.#update
  }

  /** Counts another subscriber that was sent the state. */
  receive(update: UpdatedState): void {
    this.#update = update
    if (this.#receivers++ === 0) this.#recent.add(this)
  }

  /** Counts out a receiver that was sent a later state, or has left. */
  release(): void {
    if (--this.#receivers === 0) this.forget()
  }

  forget(): void {
    this.#update = null
  }
}

/** The most states of a token that are kept, each of at most 16 KB as JSON. There is one if all readers keep up. */
const MAX_SENT_STATES = 8

/** The states of one token that were sent last. Older ones are forgotten, however many readers still have them. */
export class SentStates {
  #states: readonly SentState[] = []

  add(state: SentState): void {
    const kept = this.#states.filter(one => one.update !== null && one !== state)
    if (kept.length === MAX_SENT_STATES) kept.shift()?.forget()
    this.#states = [...kept, state]
  }
}

/** The ends of the list of holders. They can't be inside a JSON string, where quotes are escaped, and a token has no field `holders`. */
const OPENING = ',"holders":['
const CLOSING = '],"reason":'

/** Removes the holders from the beginning of an encoded update. The result fits into a message whenever the update did. */
function withoutHolders(update: Uint8Array): Uint8Array {
  const bytes = Buffer.from(update.buffer, update.byteOffset, update.byteLength)
  const begin = bytes.indexOf(OPENING) + OPENING.length
  return Buffer.concat([bytes.subarray(0, begin), bytes.subarray(bytes.lastIndexOf(CLOSING))])
}
