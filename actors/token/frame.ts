import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import { snapshotWithUsd } from '#domain/usd.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'

/** One state of a token, encoded. The bytes belong to everybody who holds the frame and are never changed. */
export interface Frame {
  readonly token: Address
  readonly sequence: number
  /** When the commit that made it completed, on the monotonic clock in ms; `null`: it was read from the database, later. */
  readonly completedAtMs: number | null
  /** A WebSocket text message: JSON in UTF-8, at most 16,384 bytes. */
  readonly webSocket: Uint8Array
  /** The same as an event of a `text/event-stream`. Made when the first stream needs it. */
  readonly eventStream: Uint8Array
}

const encoder = new TextEncoder()
const END_OF_EVENT = encoder.encode('\n\n')

class EncodedFrame implements Frame {
  readonly token: Address
  readonly sequence: number
  readonly completedAtMs: number | null
  readonly webSocket: Uint8Array
  #eventStream: Uint8Array | null = null

  constructor(snapshot: TokenSnapshot, completedAtMs: number | null) {
    this.token = snapshot.token.address
    this.sequence = snapshot.token.sequence
    this.completedAtMs = completedAtMs
    this.webSocket = encodeUpdate(snapshot).bytes
  }

  get eventStream(): Uint8Array {
    this.#eventStream ??= concatenate(encoder.encode(`event: token.update\nid: ${this.sequence}\ndata: `), this.webSocket, END_OF_EVENT)
    return this.#eventStream
  }
}

/**
 * The newest state of a token and, once somebody needs it, its frame: encoded once for a price of ETH in USD, and again only when a frame
 * is asked for after the price has changed, since a price of yesterday must not be shown as today's.
 */
export class TokenUpdate {
  readonly snapshot: TokenSnapshot
  readonly sequence: number
  readonly #completedAtMs: number | null
  #frame: Frame | null = null
  #ethUsd: string | null = null

  /** @param completedAtMs see `Frame` */
  constructor(snapshot: TokenSnapshot, completedAtMs: number | null) {
    this.snapshot = snapshot
    this.sequence = snapshot.token.sequence
    this.#completedAtMs = completedAtMs
  }

  /**
   * @param ethUsd USD per ETH to fill in, `null`: USD values stay unknown
   * @throws `RangeError` when the state can't be encoded in 16,384 bytes
   */
  frame(ethUsd: string | null): Frame {
    if (this.#frame === null || this.#ethUsd !== ethUsd) {
      this.#frame = new EncodedFrame(snapshotWithUsd(this.snapshot, ethUsd), this.#completedAtMs)
      this.#ethUsd = ethUsd
    }
    return this.#frame
  }

  /** Size of the encoded frame's JSON; `null` while nobody has needed one. */
  get frameBytes(): number | null {
    return this.#frame?.webSocket.length ?? null
  }
}

function concatenate(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
