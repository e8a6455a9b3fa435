import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import { snapshotWithUsd } from '#domain/usd.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { withoutHolders } from './withoutHolders.ts'

/** One encoded state of a token. All subscribers share the bytes, which never change. */
export interface Frame {
  readonly token: Address
  readonly sequence: number
  /** Monotonic time in ms at which its commit completed; `null`: the state was read from the database later. */
  readonly completedAtMs: number | null
  /** A WebSocket text message: JSON in UTF-8, at most 16,384 bytes. */
  readonly webSocket: Uint8Array
  /** The same as an event of a `text/event-stream`, made for the first stream. */
  readonly eventStream: Uint8Array
  /** The same without holders, made for the first subscription that asks for it. */
  readonly withoutHolders: Frame
}

const encoder = new TextEncoder()
const END_OF_EVENT = encoder.encode('\n\n')

class EncodedFrame implements Frame {
  readonly token: Address
  readonly sequence: number
  readonly completedAtMs: number | null
  readonly webSocket: Uint8Array
  #eventStream: Uint8Array | null = null
  #withoutHolders: Frame | null = null

  constructor({ token, sequence, completedAtMs }: Pick<Frame, 'token' | 'sequence' | 'completedAtMs'>, bytes: Uint8Array) {
    this.token = token
    this.sequence = sequence
    this.completedAtMs = completedAtMs
    this.webSocket = bytes
  }

  get eventStream(): Uint8Array {
    this.#eventStream ??= Buffer.concat([encoder.encode(`event: token.update\nid: ${this.sequence}\ndata: `), this.webSocket, END_OF_EVENT])
    return this.#eventStream
  }

  get withoutHolders(): Frame {
    this.#withoutHolders ??= new EncodedFrame(this, withoutHolders(this.webSocket))
    return this.#withoutHolders
  }
}

/** Encoded on first use, and again when the ETH/USD price has changed, so that a later subscriber is not sent an old price. */
export class FramedSnapshot {
  readonly snapshot: TokenSnapshot
  readonly sequence: number
  readonly #completedAtMs: number | null
  #frame: Frame | null = null
  #ethUsd: string | null = null

  constructor(snapshot: TokenSnapshot, completedAtMs: number | null) {
    this.snapshot = snapshot
    this.sequence = snapshot.token.sequence
    this.#completedAtMs = completedAtMs
  }

  /** @throws `RangeError` when the state can't be encoded in 16,384 bytes */
  frame(ethUsd: string | null): Frame {
    if (this.#frame === null || this.#ethUsd !== ethUsd) {
      const { bytes } = encodeUpdate(snapshotWithUsd(this.snapshot, ethUsd))
      const { token } = this.snapshot
      this.#frame = new EncodedFrame({ token: token.address, sequence: this.sequence, completedAtMs: this.#completedAtMs }, bytes)
      this.#ethUsd = ethUsd
    }
    return this.#frame
  }

  get frameBytes(): number | null {
    return this.#frame?.webSocket.length ?? null
  }
}
