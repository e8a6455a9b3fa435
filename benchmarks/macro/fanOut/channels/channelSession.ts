import { Load } from '#benchmarks/load/load.ts'
import type { ConnectionPlan } from '#benchmarks/load/wire.ts'
import { Worker } from '#benchmarks/support/worker.ts'
import type { ChannelCalls, ChannelServerKind } from './channelServer.ts'

const RECEIVE_TIMEOUT_MS = 300_000
/** The first lists arrive after the answers, and are not counted. */
const SETTLE_MS = 1_000

export interface Delivered {
  readonly messages: number
  readonly serverCpuMs: number
  /** From each commit to each receipt in ms, ascending. */
  readonly latenciesMs: Float64Array
}

/** One server and its clients, in separate processes. */
export class ChannelSession {
  readonly load: Load
  readonly port: number
  readonly server: Worker<ChannelCalls>
  #nextBlock = 1

  private constructor(server: Worker<ChannelCalls>, port: number, load: Load) {
    this.server = server
    this.port = port
    this.load = load
  }

  static async start(kind: ChannelServerKind): Promise<ChannelSession> {
    const server = Worker.start<ChannelCalls>(new URL('channelServerProcess.ts', import.meta.url), [], ['--expose-gc'])
    const { port } = await server.call('listen', kind)
    return new ChannelSession(server, port, await Load.start())
  }

  async open(plans: readonly ConnectionPlan[]): Promise<void> {
    await this.load.connect(this.port, plans)
    await this.load.idle(SETTLE_MS)
  }

  /**
   * Commits blocks, each when the messages of the one before it have arrived.
   *
   * @param due how many messages a block causes to connections from `first` on
   * @throws `Error` when one is missing
   */
  async deliver(blocks: number, due: (block: number) => number, first = 0): Promise<Delivered> {
    const firstBlock = this.#nextBlock
    this.#nextBlock += blocks
    await this.server.call('prepare', { first: firstBlock, count: blocks })
    const before = await this.server.call('usage', { collect: false })
    const latencies: number[] = []
    let messages = 0
    for (let block = firstBlock; block < firstBlock + blocks; block++) {
      await this.load.begin()
      const committedAtMs = await this.server.call('commit', null)
      const owed = due(block)
      const { receipts } = await this.load.wait(owed, RECEIVE_TIMEOUT_MS)
      if (receipts < owed) throw new Error(`${owed} messages of block ${block} were due, ${receipts} came`)
      messages += receipts
      const received = await this.load.receipts()
      for (let index = 0; index < received.count; index++) {
        if (received.connection(index) >= first) latencies.push(received.atMs(index) - committedAtMs)
      }
    }
    const after = await this.server.call('usage', { collect: false })
    return { messages, serverCpuMs: after.cpuMs - before.cpuMs, latenciesMs: Float64Array.from(latencies).toSorted() }
  }

  async stop(): Promise<void> {
    await Promise.all([this.load.stop(), this.server.stop()])
  }
}
