import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Trade } from '#resources/trades.ts'
import { type Service, startService } from '#test/support/service.ts'
import { type ChainKind, type ChainOptions, GeneratedChain } from './chain.ts'
import type { DatabaseServer, DatabaseTemplate } from './databaseServer.ts'
import { launchpadsFile } from './market.ts'
import { type ChainNode, type NodeView, startNode } from './node.ts'
import { differences, linesOfChain, readCursor, readIndex } from './truth.ts'
import { until } from './until.ts'

type Env = Readonly<Record<string, string>>

export interface WorldOptions extends Partial<ChainOptions> {
  /** Blocks of the chain when the service starts. Default 60. */
  readonly blocks?: number
  /** A database beside that of another world, on the same server. Default: a server of its own. */
  readonly database?: DatabaseServer
  /** The size of the database's disk in MB. Default: that of the machine. */
  readonly diskMb?: number
  /** Whether the service hears of heads over WebSocket. Default false: it polls over HTTP. */
  readonly webSocket?: boolean
  /** The content of `launchpads.json`. Default: the reference launchpad. */
  readonly launchpads?: string
  /** How the node departs from the chain at first. */
  readonly node?: Partial<NodeView>
}

/** What REST shows after this time is what it goes on to show. */
const REST_SECONDS = 30
const UNREACHABLE = 'http://127.0.0.1:9'

/** A chain, its node, a database server and the service on them, at its default settings. */
export class World {
  readonly chain: GeneratedChain
  readonly node: ChainNode
  /** Providers besides `node`, in the service's order of preference: before it. */
  readonly others: ChainNode[] = []
  readonly database: DatabaseServer
  /** The content of `launchpads.json` at the next start. */
  launchpads: string
  readonly #folder: string
  readonly #env: Env
  readonly #ended: string[] = []
  #service: Service | null = null

  static async open(template: DatabaseTemplate, folder: string, kind: ChainKind, options: WorldOptions): Promise<World> {
    const chain = new GeneratedChain({ kind, ...options })
    await chain.growFar(options.blocks ?? 60)
    await mkdir(folder, { recursive: true, mode: 0o755 })
    const database = options.database ?? (await template.server(path.join(folder, 'database'), options))
    const node = await startNode(chain, options.node)
    return new World(chain, node, database, folder, options)
  }

  private constructor(chain: GeneratedChain, node: ChainNode, database: DatabaseServer, folder: string, options: WorldOptions) {
    const { webSocket = false, launchpads = launchpadsFile() } = options
    this.chain = chain
    this.node = node
    this.database = database
    this.#folder = folder
    this.launchpads = launchpads
    const file = path.join(folder, 'launchpads.json')
    const url = webSocket ? node.webSocketUrl : node.url
    this.#env = { RPC_URLS: url, LAUNCHPADS_FILE: file, PORT: '0', COINGECKO_URL: UNREACHABLE, COINBASE_URL: UNREACHABLE }
  }

  get service(): Service {
    if (this.#service === null) throw new Error('the service was not started')
    return this.#service
  }

  /** What all services of this world have logged. */
  log(): string {
    return [...this.#ended, this.#service?.output() ?? ''].join('\n')
  }

  /** Whether the service's process still runs. */
  get isUp(): boolean {
    const { exitCode, signalCode } = this.service.process
    return exitCode === null && signalCode === null
  }

  /** Starts the service, again after its end, and waits until it listens. */
  async start(more: Env = {}): Promise<Service> {
    await writeFile(path.join(this.#folder, 'launchpads.json'), this.launchpads)
    const RPC_URLS = [...this.others.map(({ url }) => url), this.#env['RPC_URLS']].join(',')
    if (this.#service !== null) this.#ended.push(this.#service.output())
    const env = { ...this.#env, RPC_URLS, DATA_DIR: this.#folder, DATABASE_URL: this.database.url, ...more }
    this.#service = await startService(env)
    return this.#service
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(): Promise<void> {
    const { process } = this.service
    if (!this.isUp) return
    const ended = once(process, 'close')
    process.kill('SIGKILL')
    await ended
  }

  /** The newest indexed block; -1: none. */
  async cursor(): Promise<number> {
    return (await readCursor(this.database.db))?.number ?? -1
  }

  async reached(block: number, limitSeconds?: number): Promise<void> {
    await until(`block ${block} is indexed`, async () => (await this.cursor()) >= block, limitSeconds)
  }

  /** Waits until the index is exactly the chain up to its head, in the tables and in what REST answers. */
  async matches(limitSeconds?: number): Promise<void> {
    const { chain, database } = this
    const isAtHead = async () => {
      const cursor = await readCursor(database.db)
      return cursor?.hash === chain.head.hash ? 'at the head' : `at block ${cursor?.number} of ${chain.head.number}`
    }
    await until('the index reaches the head', isAtHead, limitSeconds, 'at the head')
    const faults = await this.faults()
    if (faults.length > 0) throw new Error(faults.join('; '))
    // A gateway hears of a block after its commit.
    await until('REST shows what the tables hold', async () => (await this.#restFaults()).join('; '), REST_SECONDS, '')
  }

  /** How what is indexed now differs from the chain up to the newest indexed block. */
  async faults(): Promise<readonly string[]> {
    const { cursor, lines } = await readIndex(this.database.db)
    if (cursor === null) return lines.length > 0 ? [`${lines.length} rows and no block`] : []
    const { blocks } = this.chain
    if (blocks[cursor.number]?.hash !== cursor.hash) return [`block ${cursor.number} is indexed, and not on the chain`]
    return differences(linesOfChain(blocks.slice(0, cursor.number + 1)), lines)
  }

  async get<T>(route: string): Promise<T> {
    const response = await fetch(`${this.service.url}${route}`)
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  /** Grows the chain by a block every so many milliseconds until it is stopped. */
  ticking(everyMs: number): { stop(): void } {
    const timer = setInterval(() => this.chain.grow(1), everyMs)
    return { stop: () => clearInterval(timer) }
  }

  async close(): Promise<void> {
    if (this.#service !== null) await this.kill()
    this.database.thaw()
    await this.database.end()
    for (const node of [this.node, ...this.others]) await node.stop()
    await pause(0)
  }

  /** How the trades that REST shows differ from those of the chain. */
  async #restFaults(): Promise<readonly string[]> {
    const expected = linesOfChain(this.chain.blocks).filter(line => line.startsWith('trade '))
    const found = (await this.#servedTrades()).map(trade => `${trade.id} ${trade.token} ${trade.side} ${trade.maker} ${trade.amountToken}`)
    return differences(
      expected.map(line => line.split(' ').slice(1, 6).join(' ')),
      found,
    )
  }

  async #servedTrades(): Promise<readonly Trade[]> {
    const trades: Trade[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const from = cursor === undefined ? '' : `&cursor=${cursor}`
      const page: { data: Trade[]; nextCursor: string | null } = await this.get(`/api/trades?order=asc&limit=500${from}`)
      trades.push(...page.data)
      cursor = page.nextCursor
    }
    return trades
  }
}
