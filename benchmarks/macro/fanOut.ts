import { median, quantile } from '#benchmarks/support/quantile.ts'
import {
  type Arm,
  type ArmKind,
  CORKED_LOOP,
  SEND_LOOP,
  SEND_LOOP_AGAIN,
  startArm,
  startLoad,
  TOKENWIRE,
  type Turn,
  takeTurn,
} from './arm.ts'
import type { LoadCalls } from './loadCalls.ts'
import type { FeedPlan } from './serverCalls.ts'
import type { Worker } from './worker.ts'

export interface FanOutSettings {
  /** Turns of each arm. */
  readonly rounds: number
  /** One token, at a steady rate. Connections are per arm. */
  readonly hot: {
    readonly connections: number
    readonly updatesPerTurn: number
    readonly updatesPerSecond: number
    /** Of each arm, before anything counts: faster than what is measured, and so slow that every reader keeps up. */
    readonly warmUp: WarmUp
  }
  /** A block that touches all tokens of each connection, one block at a time. Connections are per arm. */
  readonly block: {
    readonly connections: number
    readonly tokens: number
    /** Each arm's block is a turn of its own. */
    readonly blocksPerRound: number
    readonly warmUp: WarmUp
  }
}

type WarmUp = Pick<FeedPlan, 'blocks' | 'everyMs'>

/** About ten seconds, and at most 480 connections at a time. */
export const SHORT_FAN_OUT: FanOutSettings = {
  rounds: 3,
  hot: { connections: 160, updatesPerTurn: 14, updatesPerSecond: 20, warmUp: { blocks: 120, everyMs: 5 } },
  block: { connections: 40, tokens: 50, blocksPerRound: 10, warmUp: { blocks: 12, everyMs: 40 } },
}

/** What the arms are compared with. */
const BASE = SEND_LOOP

const HOT_ARMS = [TOKENWIRE, SEND_LOOP, SEND_LOOP_AGAIN]
const BLOCK_ARMS = [TOKENWIRE, SEND_LOOP, SEND_LOOP_AGAIN, CORKED_LOOP]

/** A figure of each round against the same round's base, so that what disturbs a round disturbs both sides of its ratio. */
export interface Ratios {
  readonly perRound: readonly number[]
  readonly median: number
}

export interface HotResult {
  readonly arm: string
  readonly updateBytes: number
  readonly deliveries: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly p50Ratio: Ratios
  readonly p99Ratio: Ratios
  readonly cpuPerDeliveryUs: number
  /** How far behind its time the latest update was committed: not part of the latency. */
  readonly latestCommitMs: number
}

export interface BlockResult {
  readonly arm: string
  readonly deliveriesPerBlock: number
  /** Medians over all blocks. */
  readonly lastClientMs: number
  readonly serverTurnMs: number
  readonly lastClientRatio: Ratios
  readonly serverTurnRatio: Ratios
  readonly cpuPerDeliveryUs: number
  /** CPU time of the load process for one delivery. Times the deliveries it is what the load alone needs for a block. */
  readonly loadCpuPerDeliveryUs: number
}

export interface FanOutResult {
  readonly settings: FanOutSettings
  readonly hot: readonly HotResult[]
  readonly block: readonly BlockResult[]
}

/**
 * Measures how the gateway delivers, against uWebSockets.js alone: a fresh process per arm, one process with all clients, arms taking turns
 * in an order that is reversed every round.
 *
 * @throws `Error` when a delivery is missing, doubled, out of order, too large or not the update that it should be
 */
export async function fanOut(settings: FanOutSettings): Promise<FanOutResult> {
  const load = startLoad()
  const arms: Arm[] = []
  try {
    for (const kind of BLOCK_ARMS) arms.push(await startArm(kind))
    const blocks = blockNumbers()
    return { settings, hot: await hotToken(settings, arms, load, blocks), block: await wholeBlocks(settings, arms, load, blocks) }
  } finally {
    await Promise.all([load.stop(), ...arms.map(arm => arm.server.stop())])
  }
}

/** Gives out numbers of blocks; every arm has the same in one round. */
type NextBlocks = (count: number) => number

function blockNumbers(): NextBlocks {
  let next = 1
  return count => {
    const first = next
    next += count
    return first
  }
}

type Turns = ReadonlyMap<string, readonly Turn[]>

async function hotToken({ rounds, hot }: FanOutSettings, arms: readonly Arm[], load: Worker<LoadCalls>, next: NextBlocks) {
  const { connections, updatesPerTurn, updatesPerSecond } = hot
  const turns = await takeTurns({
    arms: chosen(arms, HOT_ARMS),
    load,
    connections,
    tokens: 1,
    rounds,
    next,
    warmUp: hot.warmUp,
    measure: { blocks: updatesPerTurn, everyMs: 1_000 / updatesPerSecond },
  })
  return HOT_ARMS.map(({ name }): HotResult => {
    const own = turnsOf(turns, name)
    const all = own.flatMap(turn => [...turn.latenciesMs]).sort((a, b) => a - b)
    return {
      arm: name,
      updateBytes: Math.max(...own.map(({ updateBytes }) => updateBytes)),
      deliveries: all.length,
      p50Ms: quantile(all, 0.5),
      p99Ms: quantile(all, 0.99),
      p999Ms: quantile(all, 0.999),
      p50Ratio: ratios(turns, name, turn => quantile(turn.latenciesMs.toSorted(), 0.5)),
      p99Ratio: ratios(turns, name, turn => quantile(turn.latenciesMs.toSorted(), 0.99)),
      cpuPerDeliveryUs: (1_000 * sum(own, turn => turn.serverCpuMs)) / all.length,
      latestCommitMs: Math.max(...own.flatMap(({ commits }) => commits.map(({ lateMs }) => lateMs))),
    }
  })
}

async function wholeBlocks({ rounds, block }: FanOutSettings, arms: readonly Arm[], load: Worker<LoadCalls>, next: NextBlocks) {
  const { connections, tokens, blocksPerRound } = block
  const turns = await takeTurns({
    arms: chosen(arms, BLOCK_ARMS),
    load,
    connections,
    tokens,
    rounds: rounds * blocksPerRound,
    next,
    warmUp: block.warmUp,
    measure: { blocks: 1, everyMs: 0 },
  })
  return BLOCK_ARMS.map(({ name }): BlockResult => {
    const own = turnsOf(turns, name)
    const deliveries = sum(own, turn => turn.latenciesMs.length)
    return {
      arm: name,
      deliveriesPerBlock: connections * tokens,
      lastClientMs: median(own.map(lastClient)),
      serverTurnMs: median(own.map(serverTurn)),
      lastClientRatio: ratios(turns, name, lastClient),
      serverTurnRatio: ratios(turns, name, serverTurn),
      cpuPerDeliveryUs: (1_000 * sum(own, turn => turn.serverCpuMs)) / deliveries,
      loadCpuPerDeliveryUs: (1_000 * sum(own, turn => turn.loadCpuMs)) / deliveries,
    }
  })
}

const lastClient = (turn: Turn) => Math.max(...turn.lastReceiptMs)
const serverTurn = (turn: Turn) => median(turn.commits.map(({ turnMs }) => turnMs))

interface TurnsOptions {
  readonly arms: readonly Arm[]
  readonly load: Worker<LoadCalls>
  readonly connections: number
  readonly tokens: number
  readonly rounds: number
  readonly next: NextBlocks
  readonly warmUp: WarmUp
  readonly measure: Pick<FeedPlan, 'blocks' | 'everyMs'>
}

/** Opens the connections, lets every arm have a turn that doesn't count, and then those that do. */
async function takeTurns({ arms, load, connections, tokens, rounds, next, warmUp, measure }: TurnsOptions): Promise<Turns> {
  for (const { name, port } of arms) await load.call('open', { arm: name, port, connections, tokens })
  const warmUpBlock = next(warmUp.blocks)
  for (const arm of arms) await takeTurn(arm, load, { ...warmUp, firstBlock: warmUpBlock, tokens })
  const turns = new Map<string, Turn[]>(arms.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const firstBlock = next(measure.blocks)
    for (const arm of round % 2 === 0 ? arms : arms.toReversed()) {
      turns.get(arm.name)?.push(await takeTurn(arm, load, { ...measure, firstBlock, tokens }))
    }
  }
  return turns
}

function chosen(arms: readonly Arm[], kinds: readonly ArmKind[]): readonly Arm[] {
  return arms.filter(({ name }) => kinds.some(kind => kind.name === name))
}

function turnsOf(turns: Turns, arm: string): readonly Turn[] {
  return turns.get(arm) ?? []
}

function ratios(turns: Turns, arm: string, figure: (turn: Turn) => number): Ratios {
  const base = turnsOf(turns, BASE.name)
  const perRound = turnsOf(turns, arm).map((turn, round) => figure(turn) / figure(base[round] ?? turn))
  return { perRound, median: median(perRound) }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
