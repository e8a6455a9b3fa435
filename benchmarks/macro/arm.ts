import type { LoadCalls } from './loadCalls.ts'
import type { CommitReport, FeedPlan, ServerCalls, ServerKind } from './serverCalls.ts'
import { Worker } from './worker.ts'

export interface ArmKind {
  readonly name: string
  readonly kind: ServerKind
}

/** What is compared: each is a process of its own. The send loop stands twice, and what differs between the two is the machine's noise. */
export const TOKENWIRE: ArmKind = { name: 'tokenwire', kind: 'tokenwire' }
export const SEND_LOOP: ArmKind = { name: 'bare send loop', kind: 'sendLoop' }
export const SEND_LOOP_AGAIN: ArmKind = { name: 'bare send loop, again', kind: 'sendLoop' }
export const CORKED_LOOP: ArmKind = { name: 'bare corked loop', kind: 'corkedLoop' }

/** A serving process and its connections. */
export interface Arm {
  readonly name: string
  readonly port: number
  readonly server: Worker<ServerCalls>
}

/** One turn of an arm. */
export interface Turn {
  /** From each commit to each receipt, in ms: by block, then token, then connection. */
  readonly latenciesMs: Float64Array
  /** From each commit to the last receipt of its block, in ms. */
  readonly lastReceiptMs: readonly number[]
  readonly commits: readonly CommitReport[]
  readonly updateBytes: number
  readonly serverCpuMs: number
  readonly loadCpuMs: number
}

export async function startArm({ name, kind }: ArmKind): Promise<Arm> {
  const server = Worker.start<ServerCalls>(new URL('./serverProcess.ts', import.meta.url))
  const { port } = await server.call('listen', kind)
  return { name, port, server }
}

export function startLoad(): Worker<LoadCalls> {
  return Worker.start<LoadCalls>(new URL('./loadProcess.ts', import.meta.url))
}

/**
 * Lets an arm commit blocks and waits until all of its connections have them.
 *
 * @throws `Error` when anything that was received is wrong, or something was not received
 */
export async function takeTurn(arm: Arm, load: Worker<LoadCalls>, plan: FeedPlan): Promise<Turn> {
  const { firstBlock, blocks, tokens } = plan
  await load.call('expect', { arm: arm.name, firstBlock, blocks, tokens })
  const [{ commits, cpuMs }, receipts] = await Promise.all([arm.server.call('feed', plan), load.call('received', null)])
  const perBlock = receipts.atMs.length / blocks
  const latenciesMs = receipts.atMs.map((atMs, index) => atMs - (commits[Math.floor(index / perBlock)]?.committedAtMs ?? Number.NaN))
  return {
    latenciesMs,
    lastReceiptMs: commits.map((_, block) =>
      latenciesMs.subarray(block * perBlock, (block + 1) * perBlock).reduce((a, b) => Math.max(a, b), 0),
    ),
    commits,
    updateBytes: receipts.largestBytes,
    serverCpuMs: cpuMs,
    loadCpuMs: receipts.cpuMs,
  }
}
