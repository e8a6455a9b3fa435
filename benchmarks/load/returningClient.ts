import { connect, type Socket } from 'node:net'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { backoffMs } from '#client/backoff.ts'
import type { Address } from '#domain/address.ts'
import type { ClientProtocol, Recovery } from './returningClients.ts'
import { textFrame, upgradeRequest } from './wire.ts'

const SEQUENCE = /"type":"token\.update","sequence":(\d+),/g
/** Longer than any searched text, so that one that is split over two reads is found. */
const KEPT_CHARACTERS = 64
/** Masked with zero. */
const PONG = Uint8Array.of(0x8a, 0x80, 0, 0, 0, 0)
/** Longest pause, as of the client library. */
const MAX_PAUSE_MS = 30_000

export interface ReturningClientOptions {
  readonly index: number
  readonly protocol: ClientProtocol
  readonly ports: readonly number[]
  readonly server: number
  readonly token: Address
  readonly pauseMs: number
  /** The newest sequence of its token that any client has received. */
  newest(): number
  onUpdate(sequence: number): void
  onRecovery(recovery: Recovery): void
}

/** A client of one token that connects again, to the next server, whenever it loses its connection. */
export class ReturningClient {
  sequence = 0
  longestGapMs = 0
  readonly #options: ReturningClientOptions
  #server: number
  #socket: Socket | null = null
  /** The received text that may be the start of a searched one. */
  #text = ''
  #step: 'head' | 'handshake' | 'subscribing' | 'subscribed' = 'head'
  #failures = 0
  #updatedAtMs: number | null = null
  #outage: { readonly lostAtMs: number; pausedMs: number; target: number } | null = null
  #onSubscribed: (() => void) | null = null

  constructor(options: ReturningClientOptions) {
    this.#options = options
    this.#server = options.server
  }

  get isOpen(): boolean {
    return this.#step === 'subscribed'
  }

  /** Resolves once it is subscribed. */
  open(): Promise<void> {
    return new Promise(resolve => {
      this.#onSubscribed = resolve
      this.#connect()
    })
  }

  /** Cuts its connection by a TCP reset. */
  cut(): void {
    this.#socket?.resetAndDestroy()
  }

  /** Tells the server that it lives, as an unrequested pong, so that it need not read the server's pings. */
  pong(): void {
    if (this.isOpen) this.#socket?.write(PONG)
  }

  forgetGaps(): void {
    this.longestGapMs = 0
  }

  #connect(): void {
    const { ports, protocol, newest } = this.#options
    const port = ports[this.#server % ports.length] ?? 0
    const path = protocol === 'socket.io' ? '/socket.io/?EIO=4&transport=websocket' : '/realtime'
    if (this.#outage !== null) this.#outage.target = newest()
    this.#step = 'head'
    this.#text = ''
    const socket = connect(port, '127.0.0.1')
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('connect', () => socket.write(upgradeRequest(path, `127.0.0.1:${port}`)))
    socket.on('data', chunk => this.#received(chunk))
    // The loss is handled at `close`.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#lost())
  }

  #lost(): void {
    this.#step = 'head'
    this.#outage ??= { lostAtMs: monotonicMs(), pausedMs: 0, target: 0 }
    this.#server++
    const pauseMs = backoffMs(this.#failures++, Math.random, this.#options.pauseMs, MAX_PAUSE_MS)
    this.#outage.pausedMs += pauseMs
    setTimeout(() => this.#connect(), pauseMs)
  }

  #received(chunk: Buffer): void {
    this.#text += chunk.toString('latin1')
    const { token, protocol } = this.#options
    if (this.#step === 'head' && this.#take('\r\n\r\n')) {
      this.#step = protocol === 'socket.io' ? 'handshake' : 'subscribing'
      const subscribe = { type: 'subscribe', token, ...(this.sequence === 0 ? {} : { sequence: this.sequence }) }
      this.#socket?.write(textFrame(protocol === 'socket.io' ? '40' : JSON.stringify(subscribe)))
    }
    if (this.#step === 'handshake' && this.#take('40{"sid"')) {
      this.#step = 'subscribing'
      this.#socket?.write(textFrame(`42["subscribe","${token}"]`))
    }
    if (this.#step === 'subscribing' && this.#text.includes('"subscribed"')) {
      this.#step = 'subscribed'
      this.#failures = 0
      this.#onSubscribed?.()
    }
    let readTo = 0
    for (const found of this.#text.matchAll(SEQUENCE)) {
      this.#updated(Number(found[1]))
      readTo = found.index + found[0].length
    }
    this.#text = this.#text.slice(Math.max(readTo, this.#text.length - KEPT_CHARACTERS))
    this.#recover()
  }

  #updated(sequence: number): void {
    const nowMs = monotonicMs()
    if (this.#updatedAtMs !== null) this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.#updatedAtMs)
    this.#updatedAtMs = nowMs
    if (sequence <= this.sequence) throw new Error(`client ${this.#options.index}: ${sequence} came after ${this.sequence}`)
    this.sequence = sequence
    this.#options.onUpdate(sequence)
  }

  #recover(): void {
    const outage = this.#outage
    if (outage === null || this.#step !== 'subscribed' || this.sequence < outage.target) return
    const { lostAtMs, pausedMs } = outage
    this.#outage = null
    this.#options.onRecovery({ client: this.#options.index, lostAtMs, pausedMs, currentAtMs: monotonicMs() })
  }

  /** Whether the text has arrived; what came before it is dropped. */
  #take(text: string): boolean {
    const at = this.#text.indexOf(text)
    if (at >= 0) this.#text = this.#text.slice(at + text.length)
    return at >= 0
  }
}
