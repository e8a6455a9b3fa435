import { pathToFileURL } from 'node:url'
import { Load, type Receipts } from '#benchmarks/load/load.ts'
import { type SendPlan, textFrame } from '#benchmarks/load/wire.ts'
import { type FeedBlocks, feedBlock, feedPosition, feedSequence, feedToken } from '#benchmarks/servers/feed.ts'
import { framesOf } from '#benchmarks/servers/frames.ts'
import type { CommitReport, ServerCalls, Usage } from '#benchmarks/servers/serverCalls.ts'
import { Worker } from '#benchmarks/support/worker.ts'
import type { ArmKind } from './arms.ts'
import { connectionPlan, socketIoPlan } from './connectionPlans.ts'
import { LimitServer } from './limitServer.ts'

const RECEIVE_TIMEOUT_MS = 300_000

export interface Received {
  readonly commits: readonly CommitReport[]
  readonly receipts: Receipts
  /**
   * From each commit to each receipt in ms, in the order of receipts; NaN for receipts of earlier commits, which slow readers read only
   * now.
   */
  readonly latenciesMs: Float64Array
  /** From the first commit to the last receipt, ms. */
  readonly tookMs: number
  readonly serverCpuMs: number
  readonly loadCpuMs: number
}

export interface SessionOptions {
  readonly connections: number
  /** The tokens of each connection, as indexes of the feed's tokens. An event stream has one token. */
  subscriptions(connection: number): readonly number[]
  /** The receive buffer of all connections. Default: the system's. */
  readonly receiveBufferBytes?: number
}

interface FeedOptions {
  /** Whether some readers are so slow that their last update is not checked. */
  readonly mayConflate?: boolean
  /** The messages that clients send meanwhile, in order, and their rate. */
  readonly saying?: { readonly messages: readonly SendPlan[]; readonly perSecond: number }
}

/** One arm's server and clients, in separate processes. */
export class Session {
  readonly load: Load
  readonly arm: ArmKind
  readonly #server: Worker<ServerCalls> | LimitServer
  readonly port: number
  /** The number of connections that watch each token. */
  readonly #subscribers = new Map<number, number>()
  #nextBlock = 1

  private constructor(arm: ArmKind, server: Worker<ServerCalls> | LimitServer, port: number, load: Load) {
    this.arm = arm
    this.#server = server
    this.port = port
    this.load = load
  }

  static async start(arm: ArmKind): Promise<Session> {
    if (arm.server === 'limit') {
      const server = await LimitServer.start()
      return new Session(arm, server, server.port, await Load.start())
    }
    const root = arm.checkout === undefined ? new URL('../../../', import.meta.url) : pathToFileURL(`${arm.checkout}/`)
    const server = Worker.start<ServerCalls>(new URL('benchmarks/servers/serverProcess.ts', root), [], ['--expose-gc'])
    const { port } = await server.call('listen', { kind: arm.server, compress: arm.compress ?? false, tls: arm.tls ?? false })
    return new Session(arm, server, port, await Load.start())
  }

  /** Opens connections with their subscriptions. @returns the duration in ms */
  async open({ connections, subscriptions, receiveBufferBytes = 0 }: SessionOptions): Promise<number> {
    const all = Array.from({ length: connections }, (_, connection) => subscriptions(connection))
    for (const tokens of all) for (const token of tokens) this.#subscribers.set(token, (this.#subscribers.get(token) ?? 0) + 1)
    if (this.arm.server !== 'socket.io')
      return this.load.connect(
        this.port,
        all.map(tokens => ({ ...connectionPlan(this.arm, this.port, tokens), receiveBufferBytes })),
      )
    // Clients must not send anything before the server has answered their handshake.
    const tookMs = await this.load.connect(
      this.port,
      all.map(() => ({ ...socketIoPlan(this.port), receiveBufferBytes })),
    )
    const frames = all.flatMap((tokens, connection) =>
      tokens.map(token => ({ connection, bytes: textFrame(`42["subscribe","${feedToken(token)}"]`) })),
    )
    await this.load.send(frames, 0)
    await this.load.idle(500)
    return tookMs
  }

  /** Commits blocks with at most `window` of them undelivered, and waits for all updates. */
  async deliver(blocks: Omit<FeedBlocks, 'firstBlock'>, { window = 1 } = {}): Promise<Received> {
    const plan = { ...blocks, firstBlock: this.#take(blocks.blocks) }
    const perBlock = this.#deliveries(plan)
    await this.#prepare(plan)
    await this.load.begin()
    const before = await this.#cpuMs()
    const commits: CommitReport[] = []
    for (let block = 0, due = 0; block < blocks.blocks; block++) {
      if (block >= window) {
        due += perBlock[block - window] ?? 0
        await this.load.wait(due, RECEIVE_TIMEOUT_MS)
      }
      commits.push(...(await this.#commit(plan, block)))
    }
    return this.#receive(plan, sum(perBlock), commits, before)
  }

  /**
   * Commits blocks at a fixed rate, whether or not earlier ones are delivered. Updates that the server reports as conflated are not
   * awaited.
   */
  async feed(
    blocks: Omit<FeedBlocks, 'firstBlock'>,
    everyMs: number,
    { mayConflate = false, saying }: FeedOptions = {},
  ): Promise<Received> {
    const plan = { ...blocks, firstBlock: this.#take(blocks.blocks) }
    const perBlock = this.#deliveries(plan)
    await this.#prepare(plan)
    await this.load.begin()
    const conflatedBefore = await this.#conflated()
    const before = await this.#cpuMs()
    const committing = this.#worker().call('commit', { count: blocks.blocks, everyMs })
    // Awaited below.
    committing.catch(() => {})
    // The clients read while the server commits.
    if (saying !== undefined) await this.load.send(saying.messages, saying.perSecond)
    if (mayConflate) await this.load.idle(blocks.blocks * everyMs + 500)
    const commits = await committing
    const conflated = (await this.#conflated()) - conflatedBefore
    return this.#receive(plan, mayConflate ? null : sum(perBlock) - conflated, commits, before)
  }

  async usage({ collect = false } = {}): Promise<Usage> {
    return this.#worker().call('usage', { collect })
  }

  async stop(): Promise<void> {
    await Promise.all([this.load.stop(), this.#server.stop()])
  }

  #take(blocks: number): number {
    const first = this.#nextBlock
    this.#nextBlock += blocks
    return first
  }

  #worker(): Worker<ServerCalls> {
    if (this.#server instanceof LimitServer) throw new Error('writes in C have no server to ask')
    return this.#server
  }

  async #prepare(plan: FeedBlocks): Promise<void> {
    if (!(this.#server instanceof LimitServer)) await this.#server.call('prepare', plan)
  }

  async #commit(plan: FeedBlocks, index: number): Promise<readonly CommitReport[]> {
    if (!(this.#server instanceof LimitServer)) return this.#server.call('commit', { count: 1, everyMs: 0 })
    const frames = [...framesOf(feedBlock(plan.firstBlock + index, plan)).values()]
    const bytes = frames.reduce((sum, { length }) => sum + length, 0)
    const { begunAtMs, turnMs } = await this.#server.write(frames, Math.ceil(bytes / (this.arm.writeBytes ?? bytes)))
    return [{ committedAtMs: begunAtMs, lateMs: 0, turnMs }]
  }

  /** The updates that the server has conflated so far, if it counts them. */
  async #conflated(): Promise<number> {
    return (await this.usage()).counters['conflatedTotal'] ?? 0
  }

  async #cpuMs(): Promise<number> {
    return this.#server instanceof LimitServer ? 0 : (await this.#server.call('usage', { collect: false })).cpuMs
  }

  #deliveries({ firstBlock, blocks, touched, tokens }: FeedBlocks): readonly number[] {
    return Array.from({ length: blocks }, (_, index) => {
      let count = 0
      for (let of = 0; of < touched; of++) count += this.#subscribers.get(((firstBlock + index) * touched + of) % tokens) ?? 0
      return count
    })
  }

  async #receive(plan: FeedBlocks, due: number | null, commits: readonly CommitReport[], cpuBefore: number): Promise<Received> {
    const waited = await this.load.wait(due ?? 0, RECEIVE_TIMEOUT_MS)
    const receipts = await this.load.receipts()
    if (due !== null && waited.receipts !== due) throw new Error(`${this.arm.name}: ${due} updates were due, ${waited.receipts} came`)
    const latenciesMs = new Float64Array(receipts.count)
    const newest = new Map<number, number>()
    let lastAtMs = 0
    for (let index = 0; index < receipts.count; index++) {
      // Compressed messages are only counted: the n-th is the update of the n-th block of this connection.
      const sequence = this.arm.compress === true ? feedSequence(receipts.sequence(index), 0) : receipts.sequence(index)
      const { block, token } = feedPosition(sequence)
      const commit = commits[block - plan.firstBlock]
      const isLeftOver = due === null && block < plan.firstBlock
      if (commit === undefined && !isLeftOver) throw new Error(`${this.arm.name}: no server sent ${sequence}`)
      const of = receipts.connection(index) * 10_000 + token
      if (sequence <= (newest.get(of) ?? 0)) throw new Error(`${this.arm.name}: ${sequence} came twice or late`)
      newest.set(of, sequence)
      latenciesMs[index] = receipts.atMs(index) - (commit?.committedAtMs ?? Number.NaN)
      lastAtMs = Math.max(lastAtMs, receipts.atMs(index))
    }
    return {
      commits,
      receipts,
      latenciesMs,
      tookMs: lastAtMs - (commits[0]?.committedAtMs ?? 0),
      serverCpuMs: (await this.#cpuMs()) - cpuBefore,
      loadCpuMs: waited.cpuMs,
    }
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

/**
 * Checks that slow readers were slow enough: the kernel buffers up to 4 MB for each before the server notices.
 *
 * @throws `Error` when a server that counts conflated updates has conflated none
 */
export function expectConflation({ counters }: Usage): void {
  if (counters['conflatedTotal'] === 0)
    throw new Error('nothing was conflated: the kernel held everything, and the server met no slow reader')
}
