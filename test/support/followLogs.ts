import { type Hex, toHex } from 'viem'
import { expect } from 'vitest'
import type { LaunchpadConfig, LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { project } from '#index/project/project.ts'
import { valuationOf } from '#index/project/values.ts'
import { decode } from '#launchpads/decodeLogs.ts'
import { createDirectory, type Directory } from '#launchpads/directory/directory.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { type MemoryRows, memoryRows } from './memoryRows.ts'
import type { NewLog } from './simulatedChain.ts'

/** Transactions of logs. */
export type LogBlock = readonly (readonly NewLog[])[]

export interface FollowOptions {
  readonly launchpads: readonly LaunchpadConfig[]
  readonly weth: Address
  readonly pegUsd?: LaunchpadsConfig['pegUsd']
  /** From block 1 on. */
  readonly blocks: readonly LogBlock[]
  /** Blocks per batch. Default 1. */
  readonly atOnce?: number
}

/** Decodes and projects logs without a chain or a database. Returns the tables and the watchlist. */
export async function followLogs(options: FollowOptions): Promise<{
  readonly tables: MemoryRows['tables']
  readonly directory: Directory
}> {
  const { blocks, atOnce = 1 } = options
  const adapters = createAdapters({ weth: options.weth, launchpads: options.launchpads })
  const valuation = valuationOf(options, adapters)
  const directory = createDirectory(adapters)
  const rows = memoryRows()
  const mined = blocks.map((transactions, index) => mine(index + 1, transactions))
  for (let at = 0; at < mined.length; at += atOnce) {
    const some = mined.slice(at, at + atOnce)
    const to = some.at(-1)?.header ?? expect.unreachable()
    const input = { headers: some.map(({ header }) => header), logs: some.flatMap(({ logs }) => logs), announced: [] }
    const { events, directory: known, discoveries } = decode({ ...input, directory, adapters })
    const { timestamp } = to
    rows.write(
      project({
        ...valuation,
        events,
        rows: rows.load(timestamp),
        now: timestamp,
        providedEthUsd: null,
        directory: known,
      }),
    )
    directory.add(discoveries, to.number)
  }
  return { tables: rows.tables, directory }
}

function mine(number: number, transactions: LogBlock) {
  const header = { number, hash: word(number), parentHash: word(number - 1), timestamp: 1_700_000_000 + number }
  let logIndex = 0
  const logs = transactions.flatMap((one, txIndex) =>
    one.map(({ address, topics = [], data = '0x' }): ChainLog => {
      const at = { blockNumber: number, blockHash: header.hash, txHash: word(number * 100 + txIndex), txIndex, logIndex: logIndex++ }
      return { address, topics, data, ...at }
    }),
  )
  return { header, logs }
}

function word(value: number): Hex {
  return toHex(value, { size: 32 })
}
