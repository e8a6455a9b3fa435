import { pino } from 'pino'
import type { Address } from '#domain/address.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher, Outbox } from '#gateway/outbox/outbox.ts'
import { streamRequestOf } from '#gateway/realtime/channelRequest.ts'
import { subscribeStream } from '#gateway/realtime/eventStreamConnection.ts'
import { type ConnectionDeps, WebSocketConnection } from '#gateway/realtime/webSocketConnection.ts'
import type { ChannelName } from '#protocol/channels.ts'
import type { Candle, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import type { ChannelEvents, ChannelEventsQuery } from '#resources/channelEvent.ts'
import type { Page } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import type { TokensQuery } from '#resources/tokens.ts'
import type { MarketTradesQuery, Trade, TradeCursor } from '#resources/trades.ts'
import { memoryReads, type Stored } from '#test/gateway/memoryReads.ts'
import { CONFIG } from '#test/gateway/startGateway.ts'
import { createTestCandles, createTestChannels, createTestLists, createTestRegistry } from '#test/support/actors.ts'
import { MemoryEvents } from '#test/support/memoryEvents.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { type ServedSocket, type SocketService, servedSocketsOf } from './servedSocket.ts'
import type { SimulatedClock } from './simulatedClock.ts'

/** The address of all clients. */
const CLIENT = { address: '127.0.0.1', key: null, keyIn: 'nowhere' } as const

const REFUSAL = { type: 'about:blank', title: 'x', status: 400, detail: 'x', code: 'invalid_parameter', requestId: 'x' }

/** The server's connections and channels in simulated time, over events in memory, and REST over the same events. */
export class ChannelService implements SocketService {
  stored: MemoryEvents
  readonly sockets = new Set<ServedSocket>()
  readonly faults = {
    webSocket: 'fine' as 'fine' | 'refused',
    eventStreams: 'fine' as 'fine' | 'refused',
    /** `forbidden`: as a proxy says it. */
    rest: 'fine' as 'fine' | 'failing' | 'refusing' | 'forbidden',
  }
  readonly requests: string[] = []
  readonly #clock: SimulatedClock
  readonly #random: () => number
  readonly #maxReplayed: number
  readonly #streams = new Set<() => void>()
  #gateway: ConnectionDeps & { changed(): void; sweep(): void }

  /** @param maxReplayed - more events than this since a client's position are a gap */
  constructor(clock: SimulatedClock, random: () => number, maxReplayed: number) {
    this.#clock = clock
    this.#random = random
    this.#maxReplayed = maxReplayed
    this.stored = new MemoryEvents(maxReplayed)
    this.#gateway = this.#startGateway()
  }

  commit(...trades: readonly (readonly [token: number, maker: number])[]): void {
    this.stored.commit(...trades)
    this.#gateway.changed()
  }

  reorg(dropped: number, grown: number): void {
    this.stored.drop(dropped)
    for (let block = 0; block < grown; block++) this.stored.commit([1, 10], [2, 11])
    this.#gateway.changed()
  }

  sweep(): void {
    this.#gateway.sweep()
  }

  cut(code: number): void {
    // Clients may connect again at once.
    for (const socket of Array.from(this.sockets)) socket.endedByServer(code)
    for (const end of this.#streams) end()
  }

  restart(): void {
    this.cut(1012)
    this.#gateway = this.#startGateway()
  }

  /** Over an empty database. */
  rebuild(): void {
    this.stored = new MemoryEvents(this.#maxReplayed)
    this.restart()
  }

  later(run: () => void): void {
    this.#clock.setTimeout(run, 1 + this.#random() * 20)
  }

  connect(socket: ServedSocket): WebSocketConnection {
    return new WebSocketConnection(socket.serverSide as never, CLIENT, this.#gateway)
  }

  readonly WebSocket = servedSocketsOf(this)

  /** As REST answers, newest first. */
  trades(query: Partial<MarketTradesQuery> = {}): Promise<readonly Trade[]> {
    return this.#reads.marketTrades({ order: 'desc', limit: 1_000, ...query }).then(({ data }) => data)
  }

  get openStreams(): number {
    return this.#streams.size
  }

  /** The launched tokens, newest first: each event of the chain stands for one. */
  get launched(): readonly Token[] {
    return this.stored.events
      .map(({ place: { blockNumber, logIndex } }) => ({
        ...tokenOf(addressOf(blockNumber * 1_000 + logIndex), 1),
        createdBlock: String(blockNumber),
        createdAt: new Date(Date.UTC(2030, 0) + blockNumber * 1_000).toISOString(),
      }))
      .toReversed()
  }

  /** One for each block in which a token traded. */
  candles(token: Address): readonly Candle[] {
    const blocks = new Map<number, Candle>()
    for (const { place, token: traded } of this.stored.events) {
      if (traded !== token) continue
      const time = place.blockNumber * 60
      const trades = (blocks.get(time)?.trades ?? 0) + 1
      const price = String(this.stored.reorgs.length + trades)
      blocks.set(time, { time, open: price, high: price, low: price, close: price, volume: '1', trades })
    }
    return [...blocks.values()]
  }

  get #reads() {
    const stored = {
      tokens: [...this.launched],
      trades: this.stored.events.map(({ data }) => data as Trade),
    }
    return memoryReads(stored as unknown as Stored)
  }

  #candlePage(token: Address, limit: number): Page<Candle, CandleCursor> {
    const candles = this.candles(token)
    const data = candles.slice(-limit)
    const [oldest] = data
    return { data, next: oldest !== undefined && candles.length > limit ? { time: oldest.time } : null, asOfBlock: null }
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const signal = init.signal ?? new AbortController().signal
    this.requests.push(url.pathname + url.search)
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      this.later(resolve)
    })
    if (url.pathname === '/api/stream') return this.#openStream(url.searchParams, signal)
    if (this.faults.rest === 'failing') return Response.json({}, { status: 500 })
    if (this.faults.rest === 'forbidden') return new Response('<p>blocked</p>', { status: 403 })
    if (this.faults.rest === 'refusing') return Response.json(REFUSAL, { status: 400 })
    return this.#answer(url)
  }

  async #answer({ pathname, searchParams }: URL): Promise<Response> {
    const text = (name: string) => searchParams.get(name) ?? undefined
    const list = (name: string) => text(name)?.split(',') as Address[] | undefined
    const limit = Number(text('limit') ?? 50)
    const cursor = text('cursor') === undefined ? undefined : JSON.parse(text('cursor') ?? '')
    const [blockNumber, logIndex] = (text('after') ?? '').split('-').map(Number)
    // The memory's places have three digits for the log index.
    const place = { blockNumber: blockNumber ?? 0, logIndex: Math.min(logIndex ?? 0, 999) }
    const after: TradeCursor | undefined = text('after') === undefined ? cursor : place
    const order = (text('order') ?? 'desc') as 'asc' | 'desc'
    const { data, next } = pathname.endsWith('/candles')
      ? this.#candlePage(addressOf(1), limit)
      : pathname === '/api/tokens'
        ? await this.#reads.tokens({ sort: 'createdAt', order, limit, cursor })
        : await this.#reads.marketTrades(
            JSON.parse(
              JSON.stringify({
                order,
                limit,
                tokens: list('tokens'),
                makers: list('makers'),
                toBlock: text('toBlock') && Number(text('toBlock')),
                cursor: after,
              }),
            ) as MarketTradesQuery,
          )
    return Response.json({ data, nextCursor: next && JSON.stringify(next), asOfBlock: String(this.stored.head) })
  }

  #openStream(parameters: URLSearchParams, signal: AbortSignal): Response {
    if (this.faults.eventStreams === 'refused') return Response.json({}, { status: 403 })
    const texts = new Map([...parameters].map(([name, value]) => [name, [value]]))
    const channel = parameters.get('channel') as ChannelName
    const stream = { channel, delta: parameters.get('delta') === 'true', lastEventId: parameters.get('lastEventId') ?? '' }
    const parsed = streamRequestOf(stream, texts, CONFIG.launchpads.launchpads)
    if (parsed.kind === 'invalid') return Response.json({}, { status: 400 })
    const { flusher, stats, now } = this.#gateway
    let controller: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({ start: given => void (controller = given) })
    const written: string[] = []
    const write = (text: string | Uint8Array) => {
      written.push(String(text))
      this.later(() => this.#streams.has(end) && controller.enqueue(new TextEncoder().encode(written.shift())))
      return 'sent' as const
    }
    const outbox = new Outbox(
      {
        transport: 'eventStream',
        writeFrame: frame => write(frame.eventStream),
        writeAnswer: () => 'sent',
        cork: run => (run(), true),
        tooManyAnswers() {},
      },
      flusher,
      stats,
      now,
    )
    const unsubscribe = subscribeStream({ of: 'channel', request: parsed.request, minIntervalMs: 0 }, CLIENT, outbox, this.#gateway)
    const end = () => {
      if (!this.#streams.delete(end)) return
      outbox.close()
      if (typeof unsubscribe === 'function') unsubscribe()
      if (!signal.aborted) controller.close()
    }
    this.#streams.add(end)
    signal.addEventListener('abort', end)
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  /** Each event of launches and graduations stands for a token of its own. */
  readonly #readEvents = async (query: ChannelEventsQuery): Promise<ChannelEvents> => {
    const read = await this.stored.read(query)
    await new Promise(setImmediate)
    if (query.channel === 'trades' || query.channel === 'crossings') return read
    const { launched } = this
    const at = ({ place }: ChannelEvents['events'][number]) => addressOf(place.blockNumber * 1_000 + place.logIndex)
    const events = read.events.map(event => ({ ...event, data: launched.find(({ address }) => address === at(event)) ?? event.data }))
    return { ...read, events }
  }

  #startGateway(): ConnectionDeps & { changed(): void; sweep(): void } {
    const now = () => this.#clock.now()
    const logger = pino({ enabled: false })
    const stats = new RealtimeStats(now)
    const channels = createTestChannels({ read: this.#readEvents } as MemoryEvents, now)
    const lists = createTestLists((query: TokensQuery) => this.#reads.tokens(query))
    const candles = createTestCandles(async ({ address, limit }: CandlesQuery) => this.#candlePage(address, limit))
    return {
      config: { ...CONFIG, maxMessagesPerSecond: 1_000 },
      admission: null as never,
      registry: createTestRegistry(),
      flusher: new Flusher({ schedule: queueMicrotask, yieldTo: setImmediate, now, stats, logger }),
      stats,
      logger,
      now,
      epochMs: () => 0,
      channels,
      lists,
      candles,
      changed() {
        channels.changed()
        lists.changed(null)
        candles.changed(null)
      },
      sweep() {
        channels.sweep()
        lists.sweep()
        candles.sweep()
      },
    }
  }
}
