import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { type ClientOptions, WebSocket } from 'ws'
import type { EventChannels } from '#actors/events/eventChannel.ts'
import type { Registry } from '#actors/registry.ts'
import type { Config } from '#config'
import type { Address } from '#domain/address.ts'
import { type Admission, createAdmission } from '#gateway/admission/admission.ts'
import { createRealtime, type Realtime } from '#gateway/realtime/realtime.ts'
import { type ServerMessage, serverMessageSchema } from '#protocol/schemas/messages.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { CONFIG, type Gateway, type GatewayOptions, startGateway } from '#test/gateway/startGateway.ts'
import { blockOf, createTestCandles, createTestChannels, createTestLists, createTestRegistry } from '#test/support/actors.ts'
import { closedAfterFile } from '#test/support/closeAfterFile.ts'
import { messageObjection } from '#test/support/describedAnswers.ts'
import { eventually } from '#test/support/eventually.ts'
import { TEST_LIMIT_MS } from '#test/support/limits.ts'
import { MemoryEvents } from '#test/support/memoryEvents.ts'
import { snapshotOf } from '#test/support/snapshots.ts'

type RealtimeConfig = Pick<Config, keyof typeof CONFIG>

interface FixtureOptions extends Pick<GatewayOptions, 'site'> {
  readonly descriptors?: number
  /** Default: a slow reader is waited for, however busy the machine is. */
  readonly closeTimeoutMs?: number
}

interface TestClientOptions extends ClientOptions {
  /** Of the WebSocket's address, with its `?`. */
  readonly query?: string
  /** `false`: messages are not compared with `docs/api`. Default true. */
  readonly described?: boolean
}

/** The time of day of the fixture, which stands still. */
export const EPOCH_MS = Date.parse('2026-01-02T03:04:08.456Z')

/** A gateway with real sockets and real actors over tokens in memory, whose clock and sweep the test moves. */
export class RealtimeFixture {
  readonly stored = new Map<Address, TokenSnapshot>()
  readonly registry: Registry
  /** What the channel `trades` tells. */
  readonly events = new MemoryEvents()
  readonly channels: EventChannels
  /** Of what REST answers. */
  readonly lists = createTestLists(
    query => this.gateway.reads.tokens(query),
    query => this.gateway.reads.tokenCount(query),
  )
  readonly candles = createTestCandles(query => this.gateway.reads.candles(query))
  readonly realtime: Realtime
  readonly admission: Admission
  gateway!: Gateway
  nowMs = 1_000
  #runSweep = () => {}
  readonly #clients: { terminate(): void }[] = []

  private constructor(config: RealtimeConfig, { descriptors, closeTimeoutMs = TEST_LIMIT_MS }: FixtureOptions) {
    const logger = pino({ enabled: false })
    const now = () => this.nowMs
    this.registry = createTestRegistry({
      load: async tokens => [...this.stored.values()].filter(({ token }) => tokens.includes(token.address)),
      ethUsd: () => '3000',
      now,
    })
    this.admission = createAdmission(config, logger, descriptors === undefined ? {} : { descriptors })
    this.channels = createTestChannels(this.events, now)
    this.realtime = createRealtime({
      channels: this.channels,
      lists: this.lists,
      candles: this.candles,
      config,
      admission: this.admission,
      registry: this.registry,
      logger,
      now,
      epochMs: () => EPOCH_MS,
      closeTimeoutMs,
      lingerMs: 50,
      repeat: (_, run) => {
        this.#runSweep = run
        return () => {}
      },
    })
  }

  static async start(overrides: Partial<RealtimeConfig> = {}, options: FixtureOptions = {}): Promise<RealtimeFixture> {
    const config: RealtimeConfig = { ...CONFIG, ...overrides }
    const fixture = new RealtimeFixture(config, options)
    const { realtime, registry } = fixture
    fixture.gateway = await startGateway({
      ...(options.site !== undefined && { site: options.site }),
      config,
      stored: { tokens: [] },
      actors: registry,
      realtime,
      admission: fixture.admission,
    })
    return fixture
  }

  get port(): number {
    return this.gateway.port
  }

  /** Stores a state of a token without telling the actors. */
  store(token: Address, sequence: number, overrides: Partial<TokenSnapshot['token']> = {}): TokenSnapshot {
    const snapshot = snapshotOf(token, sequence, overrides)
    this.stored.set(token, snapshot)
    return snapshot
  }

  /** Lets REST answer with these states and no others. */
  show(...snapshots: readonly TokenSnapshot[]): void {
    this.gateway.reads.stored.tokens = snapshots.map(({ token }) => token)
  }

  /** Commits states in one block. */
  commit(...snapshots: readonly TokenSnapshot[]): void {
    for (const snapshot of snapshots) this.stored.set(snapshot.token.address, snapshot)
    this.registry.dispatch({ ...blockOf(...snapshots), completedAtMs: this.nowMs })
  }

  /** Commits a block of trades, each of a token and a maker. */
  trade(...trades: readonly (readonly [token: number, maker: number])[]): void {
    this.events.commit(...trades)
    this.channels.changed()
  }

  /** Lets time pass, with a sweep every second. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1_000
      this.#runSweep()
    }
  }

  async client(options: TestClientOptions = {}): Promise<Client> {
    const client = new Client(this.port, options)
    this.#clients.push(client)
    await client.opened
    return client
  }

  /** A client that is not expected to be let in. */
  refusedClient(options: TestClientOptions = {}): Client {
    const client = new Client(this.port, options)
    this.#clients.push(client)
    client.opened.catch(() => {})
    return client
  }

  async rawClient(request: string): Promise<RawClient> {
    const client = await RawClient.connect(this.port, request)
    this.#clients.push(client)
    return client
  }

  /** A WebSocket without a WebSocket library. */
  async rawWebSocket(): Promise<RawClient> {
    const key = randomBytes(16).toString('base64')
    const headers = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}`
    const client = await this.rawClient(`GET /realtime HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`)
    await client.until(read => read.includes('\r\n\r\n'))
    return client
  }

  /** At the end of the test file, if not before. */
  readonly stop = closedAfterFile(async () => {
    for (const client of this.#clients) client.terminate()
    await this.gateway.close()
    this.registry.stop()
    await this.channels.stop()
    await this.lists.stop()
    await this.candles.stop()
  })
}

/** A WebSocket client that checks every message against the schema and hands them out in order. */
export class Client {
  readonly opened: Promise<void>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Of a refused upgrade. */
  readonly refused: Promise<{ readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> }>
  readonly socket: WebSocket
  /** Everything that came, and how large it was. */
  readonly received: ServerMessage[] = []
  largestBytes = 0
  pings = 0
  #taken = 0
  #unreadable: { readonly error: unknown } | null = null
  #arrived = () => {}

  constructor(port: number, { query = '', described = true, ...options }: TestClientOptions = {}) {
    const socket = new WebSocket(`${options.ca === undefined ? 'ws' : 'wss'}://127.0.0.1:${port}/realtime${query}`, options)
    this.socket = socket
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.once('error', reject)
    })
    socket.on('error', () => {})
    this.closed = new Promise(resolve => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
    this.refused = new Promise(resolve => {
      socket.on('unexpected-response', (_, response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const headers = new Headers(Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]))
          resolve({
            status: response.statusCode ?? 0,
            headers,
            body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
          })
          socket.terminate()
        })
      })
    })
    socket.on('ping', () => this.pings++)
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.largestBytes = Math.max(this.largestBytes, data.length)
      try {
        if (isBinary) throw new Error('the message is not text')
        this.received.push(readMessage(data.toString(), described))
      } catch (error) {
        this.#unreadable = { error }
        throw error
      } finally {
        this.#arrived()
      }
    })
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message))
  }

  /** The next message that was not taken yet; waits for it. @throws what is wrong with a message that is not as described */
  async next(): Promise<ServerMessage> {
    for (;;) {
      const message = this.received[this.#taken]
      if (message !== undefined) {
        this.#taken++
        return message
      }
      if (this.#unreadable !== null) throw this.#unreadable.error
      await new Promise<void>(resolve => {
        this.#arrived = resolve
      })
    }
  }

  /** The next messages in short: `subscribed 7`, `update 8`, `error invalid_message`. */
  async nextInShort(count: number): Promise<readonly string[]> {
    const messages: string[] = []
    for (let n = 0; n < count; n++) messages.push(inShort(await this.next()))
    return messages
  }

  /** Everything that has arrived when the server has answered one more message. */
  async settle(): Promise<readonly string[]> {
    return (await this.settled()).map(inShort)
  }

  /** The same in full. */
  async settled(): Promise<readonly ServerMessage[]> {
    this.send({ type: 'ping', id: 'fence' })
    const messages: ServerMessage[] = []
    for (;;) {
      const message = await this.next()
      if (message.type === 'pong' && message.id === 'fence') return messages
      messages.push(message)
    }
  }

  terminate(): void {
    this.socket.terminate()
  }
}

/** @throws when the message is not as described */
function readMessage(text: string, described: boolean): ServerMessage {
  const message = serverMessageSchema.parse(JSON.parse(text))
  const objection = described ? messageObjection(JSON.parse(text) as ServerMessage) : null
  if (objection !== null) throw new Error(`a message is not as described: ${objection}`)
  return message
}

function inShort(message: ServerMessage): string {
  switch (message.type) {
    case 'subscribed':
      return `subscribed ${'sequence' in message ? message.sequence : 'cursor' in message ? message.cursor : message.channel}`
    case 'unsubscribed':
    case 'pong':
      return message.type
    case 'trades':
    case 'launches':
    case 'graduations':
    case 'crossings':
    case 'reorg':
      return `${message.type} ${message.cursor}`
    case 'list':
      return `list ${message.data.length}`
    case 'list.delta':
      return `list of ${message.base} ${message.data.length}`
    case 'candles':
      return `candles from ${message.from}: ${message.data.map(({ time, close }) => `${time} ${close}`).join(', ')}`
    case 'gap':
      return `gap ${message.from} ${message.to}`
    case 'token.update':
      return `update ${message.sequence}`
    case 'token.delta':
      return `delta ${message.base} ${message.sequence}`
    case 'error':
      return `error ${message.code}`
  }
}

/** A TCP connection that reads only when it is told to. */
export class RawClient {
  readonly socket: Socket
  readonly #chunks: Buffer[] = []
  readonly closed: Promise<void>

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('data', chunk => this.#chunks.push(chunk))
    this.closed = new Promise(resolve => {
      socket.on('close', () => resolve())
    })
  }

  static async connect(port: number, request: string): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1')
    const client = new RawClient(socket)
    await new Promise<void>(resolve => {
      socket.once('connect', resolve)
    })
    socket.write(request)
    return client
  }

  /** Everything read so far. */
  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** Reads until the bytes pass a test. */
  async until(test: (bytes: Buffer) => boolean): Promise<Buffer> {
    await eventually(() => test(this.bytes))
    return this.bytes
  }

  /** Sends a WebSocket text message. */
  sendText(text: string): void {
    const payload = Buffer.from(text)
    const length =
      payload.length < 126 ? Buffer.of(0x80 | payload.length) : Buffer.of(0x80 | 126, payload.length >> 8, payload.length & 0xff)
    // A mask of zeros leaves the payload as it is.
    this.socket.write(Buffer.concat([Buffer.of(0x81), length, Buffer.alloc(4), payload]))
  }

  /** The WebSocket frames that have come completely. Throws when the stream can't be frames of a server. */
  get frames(): readonly { readonly opcode: number; readonly payload: Buffer }[] {
    const frames: { opcode: number; payload: Buffer }[] = []
    let rest = this.bytes.subarray(this.bytes.indexOf('\r\n\r\n') + 4)
    while (rest.length >= 2) {
      const short = rest.readUInt8(1)
      if (short > 126) throw new Error('a frame with a mask or of more than 64 KB')
      const start = short < 126 ? 2 : 4
      if (rest.length < start) break
      const length = short < 126 ? short : rest.readUInt16BE(2)
      if (rest.length < start + length) break
      frames.push({ opcode: rest.readUInt8(0), payload: rest.subarray(start, start + length) })
      rest = rest.subarray(start + length)
    }
    return frames
  }

  /** The text messages that have come, each checked against the schema. */
  get messages(): readonly ServerMessage[] {
    return this.frames.filter(frame => frame.opcode === 0x81).map(frame => serverMessageSchema.parse(JSON.parse(frame.payload.toString())))
  }

  terminate(): void {
    this.socket.destroy()
  }
}
