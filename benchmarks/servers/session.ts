import { Worker } from '#benchmarks/harness/worker.ts'
import { Load, type Receipts } from '#benchmarks/load/load.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import { type ConnectionPlan, textFrame, upgradeRequest } from '#benchmarks/load/wire.ts'
import { type FeedBlocks, feedPosition, feedSequence, feedToken } from './feed.ts'
import type { ServerKind } from './feedServer.ts'
import type { CommitReport, ServerCalls, Usage } from './serverCalls.ts'

const POLL_MS = 10
const RECEIVE_TIMEOUT_MS = 300_000

export interface Received {
  readonly receipts: Receipts
  /** From each commit to each receipt in ms, in the order of receipts. */
  readonly latenciesMs: Float64Array
  /** From the first commit to the last receipt, ms. */
  readonly tookMs: number
  readonly serverCpuMs: number
  readonly loadCpuMs: number
}

export interface SessionOptions {
  readonly connections: number
  /** The tokens of each connection, as indexes of the feed's tokens. */
  subscriptions(connection: number): readonly number[]
  /** Whether the clients ask for deltas. Default: not. */
  readonly delta?: boolean
}

/** A server of the feed and its clients, in separate processes. */
export class Session {
  readonly load: Load
  readonly #kind: ServerKind
  readonly #server: Worker<ServerCalls>
  readonly #port: number
  /** Of each connection, in the order in which they were opened. */
  readonly #tokens: (readonly number[])[] = []
  #nextBlock = 1

  private constructor(kind: ServerKind, server: Worker<ServerCalls>, port: number, load: Load) {
    this.#kind = kind
    this.#server = server
    this.#port = port
    this.load = load
  }

  static async start(kind: ServerKind): Promise<Session> {
    const server = Worker.start<ServerCalls>(new URL('serverProcess.ts', import.meta.url), [], ['--expose-gc'])
    const { port } = await server.call('listen', kind)
    return new Session(kind, server, port, await Load.start())
  }

  /** Opens connections with their subscriptions. */
  async open({ connections, subscriptions, delta = false }: SessionOptions): Promise<void> {
    const all = Array.from({ length: connections }, (_, connection) => subscriptions(connection))
    this.#tokens.push(...all)
    if (this.#kind !== 'socket.io') {
      const sequence = feedSequence(this.#nextBlock, 0) - 1
      await this.load.connect(
        this.#port,
        all.map(tokens => tokenPlan(this.#port, tokens.map(feedToken), { delta, sequence })),
      )
      return
    }
    // Its clients must not send anything before the server has answered their handshake.
    await this.load.connect(
      this.#port,
      all.map(() => socketIoPlan(this.#port)),
    )
    const frames = all.flatMap((tokens, connection) =>
      tokens.map(token => ({ connection, bytes: textFrame(`42["subscribe","${feedToken(token)}"]`) })),
    )
    const subscribed = async () => (await this.usage()).counters['subscribed'] ?? 0
    const due = (await subscribed()) + frames.length
    await this.load.send(frames, 0)
    while ((await subscribed()) < due) await this.load.idle(POLL_MS)
  }

  /** Commits blocks with at most `window` of them undelivered, and waits for all updates. */
  async deliver(blocks: Omit<FeedBlocks, 'firstBlock'>, { window = 1 } = {}): Promise<Received> {
    const { plan, perBlock, cpuBefore } = await this.#begin(blocks)
    const commits: CommitReport[] = []
    for (let block = 0, due = 0; block < blocks.blocks; block++) {
      if (block >= window) {
        due += perBlock[block - window] ?? 0
        await this.load.wait(due, RECEIVE_TIMEOUT_MS)
      }
      commits.push(...(await this.#server.call('commit', { count: 1, everyMs: 0 })))
    }
    return this.#receive(plan, sum(perBlock), commits, cpuBefore)
  }

  /** Commits blocks at a fixed rate, whether or not earlier ones are delivered. Updates that the server has conflated are not awaited. */
  async feed(blocks: Omit<FeedBlocks, 'firstBlock'>, everyMs: number): Promise<Received> {
    const { plan, perBlock, cpuBefore } = await this.#begin(blocks)
    const before = await this.#conflated()
    const commits = await this.#server.call('commit', { count: blocks.blocks, everyMs })
    return this.#receive(plan, sum(perBlock) - ((await this.#conflated()) - before), commits, cpuBefore)
  }

  /** Closes the connections from one of them on. @param options.abrupt with a TCP reset, as after a network failure */
  async close(first: number, count: number, options: { readonly abrupt?: boolean } = {}): Promise<void> {
    for (let connection = first; connection < first + count; connection++) this.#tokens[connection] = []
    await this.load.close(first, count, options)
  }

  usage({ collect = false } = {}): Promise<Usage> {
    return this.#server.call('usage', { collect })
  }

  async stop(): Promise<void> {
    await Promise.all([this.load.stop(), this.#server.stop()])
  }

  async #begin(blocks: Omit<FeedBlocks, 'firstBlock'>) {
    const plan = { ...blocks, firstBlock: this.#nextBlock }
    this.#nextBlock += blocks.blocks
    await this.#server.call('prepare', plan)
    await this.load.begin()
    return { plan, perBlock: this.#deliveries(plan), cpuBefore: (await this.usage()).cpuMs }
  }

  async #conflated(): Promise<number> {
    return (await this.usage()).counters['conflatedTotal'] ?? 0
  }

  #deliveries({ firstBlock, blocks, touched, tokens }: FeedBlocks): readonly number[] {
    const subscribers = new Map<number, number>()
    for (const token of this.#tokens.flat()) subscribers.set(token, (subscribers.get(token) ?? 0) + 1)
    return Array.from({ length: blocks }, (_, index) => {
      let count = 0
      for (let of = 0; of < touched; of++) count += subscribers.get(((firstBlock + index) * touched + of) % tokens) ?? 0
      return count
    })
  }

  async #receive(plan: FeedBlocks, due: number, commits: readonly CommitReport[], cpuBefore: number): Promise<Received> {
    const waited = await this.load.wait(due, RECEIVE_TIMEOUT_MS)
    const receipts = await this.load.receipts()
    if (waited.receipts !== due) throw new Error(`${this.#kind}: ${due} updates were due, ${waited.receipts} came`)
    const latenciesMs = new Float64Array(receipts.count)
    const newest = new Map<number, number>()
    let lastAtMs = 0
    for (let index = 0; index < receipts.count; index++) {
      const sequence = receipts.sequence(index)
      const { block, token } = feedPosition(sequence)
      const commit = commits[block - plan.firstBlock]
      if (commit === undefined) throw new Error(`${this.#kind}: no server sent ${sequence}`)
      const of = receipts.connection(index) * 10_000 + token
      if (sequence <= (newest.get(of) ?? 0)) throw new Error(`${this.#kind}: ${sequence} came twice or late`)
      newest.set(of, sequence)
      latenciesMs[index] = receipts.atMs(index) - commit.committedAtMs
      lastAtMs = Math.max(lastAtMs, receipts.atMs(index))
    }
    return {
      receipts,
      latenciesMs,
      tookMs: lastAtMs - (commits[0]?.committedAtMs ?? 0),
      serverCpuMs: (await this.usage()).cpuMs - cpuBefore,
      loadCpuMs: waited.cpuMs,
    }
  }
}

/** Without subscriptions, which follow the answer to its handshake. */
function socketIoPlan(port: number): ConnectionPlan {
  return {
    request: upgradeRequest('/socket.io/?EIO=4&transport=websocket', `127.0.0.1:${port}`),
    greeting: textFrame('40'),
    ready: { text: '40{"sid"', times: 1 },
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
