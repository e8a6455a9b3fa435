import { pino } from 'pino'
import type { Registry } from '#actors/registry.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { Flusher } from '#gateway/outbox/outbox.ts'
import type { ConnectionDeps } from '#gateway/realtime/webSocketConnection.ts'
import { WebSocketConnection } from '#gateway/realtime/webSocketConnection.ts'
import type { Trade } from '#resources/trades.ts'
import { CONFIG } from '#test/gateway/startGateway.ts'
import { blockOf, createTestCandles, createTestChannels, createTestLists, createTestRegistry } from '#test/support/actors.ts'
import { TradeChain } from '#test/support/tradeChain.ts'
import { type ServedSocket, type SocketService, servedSocketsOf } from './servedSocket.ts'
import type { SimulatedClock } from './simulatedClock.ts'

/** Trades of a page at most: some reads should take several. */
const MAX_LISTED = 5

/** The server's connections in simulated time, over the trades of one token, and REST over the same. There are no event streams. */
export class TradeService implements SocketService {
  readonly chain = new TradeChain()
  readonly sockets = new Set<ServedSocket>()
  /** `behind`: REST reads a replica that receives no commits but reorgs. */
  readonly faults = { webSocket: 'fine' as const, rest: 'fine' as 'fine' | 'failing' | 'behind' }
  readonly WebSocket = servedSocketsOf(this)
  /** Requests for trades. */
  tradeRequests = 0
  readonly #clock: SimulatedClock
  readonly #random: () => number
  #replica: Pick<TradeChain, 'trades' | 'snapshot'>
  #registry: Registry
  #gateway: ConnectionDeps

  constructor(clock: SimulatedClock, random: () => number) {
    this.#clock = clock
    this.#random = random
    this.chain.commit(1)
    this.#replica = this.#copy()
    this.#registry = this.#startRegistry()
    this.#gateway = this.#startGateway()
  }

  commit(trades: number): void {
    this.chain.commit(trades)
    this.#committed()
  }

  reorg(depth: number, trades: number): void {
    this.chain.reorg(depth, trades)
    // What a replica tells that is behind a reorg can not be known to be void: a limit of the client.
    this.#replica = this.#copy()
    this.#committed()
  }

  cut(code: number): void {
    for (const socket of this.sockets) socket.endedByServer(code)
  }

  restart(): void {
    this.cut(1012)
    this.#registry.stop()
    this.#registry = this.#startRegistry()
    this.#gateway = this.#startGateway()
  }

  heal(): void {
    this.faults.rest = 'fine'
    this.#replica = this.#copy()
    for (const socket of this.sockets) socket.isStalled = false
  }

  later(run: () => void): void {
    this.#clock.setTimeout(run, 1 + this.#random() * 20)
  }

  connect(socket: ServedSocket): WebSocketConnection {
    return new WebSocketConnection(socket.serverSide as never, { address: '127.0.0.1', key: null, keyIn: 'nowhere' }, this.#gateway)
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input)
    const isOfTrades = pathname.endsWith('/trades')
    if (isOfTrades) this.tradeRequests++
    const pass = () =>
      new Promise<void>((resolve, reject) => {
        init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
        this.later(resolve)
      })
    await pass()
    if (pathname.endsWith('/stream')) return Response.json({}, { status: 404 })
    if (this.faults.rest === 'failing') return Response.json({}, { status: 500 })
    const { trades, snapshot } = this.#replica
    // The answer is under way while the state goes on.
    await pass()
    if (!isOfTrades) return Response.json({ data: [snapshot.token], nextCursor: null, asOfBlock: '1' })
    const [block = Number.POSITIVE_INFINITY, logIndex = 0] = searchParams.get('cursor')?.split('-').map(Number) ?? []
    const earlier = trades.filter(
      trade => Number(trade.blockNumber) < block || (Number(trade.blockNumber) === block && trade.logIndex < logIndex),
    )
    const data = earlier.slice(-MAX_LISTED).reverse()
    const last = earlier.length > data.length ? (data.at(-1) as Trade) : null
    return Response.json({ data, nextCursor: last && last.id, asOfBlock: '1' })
  }

  #committed(): void {
    if (this.faults.rest !== 'behind') this.#replica = this.#copy()
    this.#registry.dispatch(blockOf(this.chain.snapshot))
  }

  #copy(): Pick<TradeChain, 'trades' | 'snapshot'> {
    const { trades, snapshot } = this.chain
    return { trades, snapshot }
  }

  #startRegistry(): Registry {
    return createTestRegistry({ load: async () => [this.chain.snapshot] })
  }

  #startGateway(): ConnectionDeps {
    const now = () => this.#clock.now()
    const logger = pino({ enabled: false })
    const stats = new RealtimeStats(now)
    return {
      config: { ...CONFIG, maxMessagesPerSecond: 1_000 },
      admission: null as never,
      registry: this.#registry,
      flusher: new Flusher({ schedule: queueMicrotask, yieldTo: setImmediate, now, stats, logger }),
      stats,
      logger,
      now,
      epochMs: () => 0,
      channels: createTestChannels(),
      lists: createTestLists(),
      candles: createTestCandles(),
    }
  }
}
