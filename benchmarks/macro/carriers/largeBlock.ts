import { Load } from '#benchmarks/load/load.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import { treeCpuMs } from '#benchmarks/macro/backfill/processUsage.ts'
import { usageOf } from '#benchmarks/servers/childServer.ts'
import { observeService } from '#benchmarks/support/observedCommits.ts'
import { GATEWAY, startTradedChain, type TradedChain } from '#benchmarks/support/tradedChain.ts'
import { startNatsServer } from '#test/support/nats.ts'
import type { Service } from '#test/support/service.ts'
import { costOfReading, type ReadingCost } from './costOfReading.ts'
import { countArrivals } from './countArrivals.ts'

/** Who carries blocks to those that serve. */
export const LARGE_BLOCK_ARMS = ['one process', 'threads', 'NOTIFY', 'NATS'] as const
export type LargeBlockArm = (typeof LARGE_BLOCK_ARMS)[number]

export interface LargeBlockOptions {
  /** In turns; an arm may have several. */
  readonly turns: readonly LargeBlockArm[]
  /** All of which a block changes. */
  readonly tokens: number
  /** Clients, each of all tokens, spread over the gateways. */
  readonly connections: number
  /** Gateway threads or processes, where there are any. */
  readonly gateways: number
  /** Measured blocks per turn. */
  readonly blocks: number
  /** The program; `null`: turns of NATS are left out. */
  readonly natsServer: string | null
}

/** Each list has a value per block. */
export interface LargeBlockResult {
  readonly arm: LargeBlockArm
  /** From the end of the commit until a client had the first update, and until the last client had the last one. */
  readonly firstMs: number[]
  readonly lastMs: number[]
  /** From the mined block until the last client had the last update: with the fetch, the projection and the commit. */
  readonly minedMs: number[]
  /** Processor time per block on average: a value per turn. */
  readonly writerCpuMs: number[]
  /** None where the writer serves. */
  readonly gatewaysCpuMs: number[]
  readonly databaseCpuMs: number[]
  readonly clientsCpuMs: number[]
}

const WARM_UP_BLOCKS = 2
const PATIENCE_MS = 300_000

export interface LargeBlocks {
  readonly results: readonly LargeBlockResult[]
  /** After the last turn. */
  readonly reading: ReadingCost
}

/** Blocks in which every token is traded, through `npm start` in its roles, each turn with new processes on the same database. */
export async function measureLargeBlocks(options: LargeBlockOptions): Promise<LargeBlocks> {
  const { turns, natsServer } = options
  const results = new Map<LargeBlockArm, LargeBlockResult>()
  const chain = await startTradedChain(options.tokens)
  const nats = natsServer === null ? null : await startNatsServer(natsServer)
  try {
    for (const arm of turns) {
      if (arm === 'NATS' && nats === null) continue
      const result = results.get(arm) ?? emptyResult(arm)
      results.set(arm, result)
      await takeTurn(chain, settingsOf(arm, options, nats?.port ?? 0), options, result)
    }
    return { results: [...results.values()], reading: await costOfReading(chain.databaseUrl, chain.chainId, chain.tokens) }
  } finally {
    await nats?.kill()
    await chain.stop()
  }
}

function emptyResult(arm: LargeBlockArm): LargeBlockResult {
  return { arm, firstMs: [], lastMs: [], minedMs: [], writerCpuMs: [], gatewaysCpuMs: [], databaseCpuMs: [], clientsCpuMs: [] }
}

interface ArmSettings {
  readonly writer: Readonly<Record<string, string>>
  /** Of each gateway process. */
  readonly gateways: readonly Readonly<Record<string, string>>[]
}

function settingsOf(arm: LargeBlockArm, { gateways }: LargeBlockOptions, natsPort: number): ArmSettings {
  const each = (settings: Readonly<Record<string, string>>) => Array.from({ length: gateways }, () => ({ ...GATEWAY, ...settings }))
  switch (arm) {
    case 'one process':
      return { writer: {}, gateways: [] }
    case 'threads':
      return { writer: { GATEWAY_THREADS: String(gateways) }, gateways: [] }
    case 'NOTIFY':
      return { writer: { ROLE: 'indexer' }, gateways: each({}) }
    case 'NATS': {
      const carrier = { NATS_URL: `nats://127.0.0.1:${natsPort}` }
      return { writer: { ROLE: 'indexer', ...carrier }, gateways: each(carrier) }
    }
    default:
      return arm satisfies never
  }
}

async function takeTurn(chain: TradedChain, settings: ArmSettings, options: LargeBlockOptions, result: LargeBlockResult): Promise<void> {
  const running: Service[] = []
  const started = (service: Service) => {
    running.push(service)
    return service
  }
  const load = await Load.start()
  try {
    const writer = started(await chain.startObserved(settings.writer))
    const gateways: Service[] = []
    for (const env of settings.gateways) gateways.push(started(await chain.start(env)))
    await measure({ chain, load, writer, gateways }, options, result)
  } finally {
    await load.stop()
    for (const service of running.toReversed()) await service.stop()
  }
}

interface Running {
  readonly chain: TradedChain
  readonly load: Load
  readonly writer: Service
  /** None: the writer serves. */
  readonly gateways: readonly Service[]
}

async function measure(running: Running, { tokens, connections, blocks }: LargeBlockOptions, result: LargeBlockResult): Promise<void> {
  const { chain, load, writer, gateways } = running
  const commits = observeService(writer)
  const serving = gateways.length === 0 ? [writer] : gateways
  for (const service of serving) await service.indexed(await chain.head())
  await connectAll(running, serving, connections)
  let before = await usageNow(running)
  let clientsCpuMs = 0
  for (let round = 0; round < WARM_UP_BLOCKS + blocks; round++) {
    const isMeasured = round >= WARM_UP_BLOCKS
    if (round === WARM_UP_BLOCKS) before = await usageNow(running)
    // Hashes tell the tokens of a block apart, and take the clients' time.
    await load.begin({ hashes: !isMeasured })
    const { number, minedAtMs } = await chain.trade()
    const { committedAtMs } = await commits.of(number, PATIENCE_MS)
    const arrived = await countArrivals(load, { connections, tokens, timeoutMs: PATIENCE_MS })
    if (!isMeasured) continue
    clientsCpuMs += arrived.cpuMs
    result.firstMs.push(arrived.firstAtMs - committedAtMs)
    result.lastMs.push(arrived.lastAtMs - committedAtMs)
    result.minedMs.push(arrived.lastAtMs - minedAtMs)
  }
  const after = await usageNow(running)
  result.writerCpuMs.push((after.writerMs - before.writerMs) / blocks)
  if (gateways.length > 0) result.gatewaysCpuMs.push((after.gatewaysMs - before.gatewaysMs) / blocks)
  result.databaseCpuMs.push((after.databaseMs - before.databaseMs) / blocks)
  result.clientsCpuMs.push(clientsCpuMs / blocks)
}

/** Clients take turns at the gateways. */
async function connectAll({ chain, load }: Running, serving: readonly Service[], connections: number): Promise<void> {
  for (const [index, { url }] of serving.entries()) {
    const port = Number(new URL(url).port)
    const count = Math.floor((connections + index) / serving.length)
    await load.connect(
      port,
      Array.from({ length: count }, () => tokenPlan(port, chain.tokens)),
    )
  }
}

async function usageNow({ chain, writer, gateways }: Running) {
  const cpuMs = ({ process: { pid } }: Service) => usageOf(pid ?? 0).cpuMs
  return {
    writerMs: cpuMs(writer),
    gatewaysMs: gateways.reduce((sum, gateway) => sum + cpuMs(gateway), 0),
    databaseMs: await treeCpuMs(chain.databasePid),
  }
}
