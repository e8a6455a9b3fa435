import type { MinedBlock } from '#benchmarks/chain/chainCalls.ts'
import type { Load } from '#benchmarks/load/load.ts'
import type { MeasuredService } from '#benchmarks/service/measuredService.ts'
import type { Turn } from './hotPath.ts'

export interface DeliverOptions {
  readonly turn: Pick<Turn, 'chain' | 'databaseCpuMs'>
  readonly service: Pick<MeasuredService, 'usage'>
  readonly load: Load
  /** The traded tokens of each block, as indexes. */
  readonly blocks: readonly (readonly number[])[]
  /** How many messages a block causes. */
  readonly due: (traded: readonly number[]) => number
  /** Whether equal messages are looked for. It takes the load's time, so it is for the warm-up. Default: not. */
  readonly isChecked?: boolean
  /** Done after each block, within the measured time. */
  readonly afterBlock?: () => Promise<void>
}

export interface Delivered {
  readonly blocks: number
  readonly messages: number
  /** From the block at the provider to each message at its client, ascending. */
  readonly latenciesMs: Float64Array
  /** The same to the last message of each block, in order. */
  readonly lastMs: readonly number[]
  readonly serviceCpuMs: number
  readonly databaseCpuMs: number
  /** The newest sequence that any client has. */
  readonly newest: number
}

const TIMEOUT_MS = 120_000

/**
 * Adds blocks to the chain, each when every message of the one before has arrived.
 *
 * @throws `Error` when a message is missing, comes without being due or comes twice, or a sequence goes back
 */
export async function deliverBlocks(options: DeliverOptions): Promise<Delivered> {
  const { turn, service, load, blocks, due, isChecked = false, afterBlock } = options
  await load.begin({ hashes: isChecked })
  const usage = async () => ({ service: (await service.usage()).cpuMs, database: await turn.databaseCpuMs() })
  const before = await usage()
  const mined: { readonly block: MinedBlock; readonly from: number; readonly to: number }[] = []
  let expected = 0
  for (const traded of blocks) {
    const block = await turn.chain.call('mine', traded)
    const from = expected
    expected += due(traded)
    const { receipts } = await load.wait(expected, TIMEOUT_MS)
    if (receipts !== expected) throw new Error(`${expected - from} messages of block ${block.number} were due, ${receipts - from} came`)
    await afterBlock?.()
    mined.push({ block, from, to: expected })
  }
  const after = await usage()

  const receipts = await load.receipts()
  const latencies = new Float64Array(receipts.count)
  const lastMs: number[] = []
  const newestOf = new Map<number, number>()
  for (const { block, from, to } of mined) {
    const seen = new Set<string>()
    let last = 0
    for (let index = from; index < to; index++) {
      const [connection, sequence] = [receipts.connection(index), receipts.sequence(index)]
      if (sequence < (newestOf.get(connection) ?? 0)) throw new Error(`the sequence went back to ${sequence} at connection ${connection}`)
      newestOf.set(connection, sequence)
      const message = `${connection} ${sequence} ${receipts.hash(index)}`
      if (isChecked && seen.has(message)) throw new Error(`a message came twice at connection ${connection}`)
      seen.add(message)
      latencies[index] = receipts.atMs(index) - block.atMs
      last = Math.max(last, latencies[index] ?? 0)
    }
    lastMs.push(last)
  }
  return {
    blocks: blocks.length,
    messages: receipts.count,
    latenciesMs: latencies.toSorted(),
    lastMs,
    serviceCpuMs: after.service - before.service,
    databaseCpuMs: after.database - before.database,
    newest: Math.max(0, ...newestOf.values()),
  }
}
