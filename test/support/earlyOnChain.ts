import { sql } from 'kysely'
import { expect } from 'vitest'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { comparePlaces } from '#domain/eventPlace.ts'
import { classesOf, EARLY_CLASSES, type EarlyClass } from '#domain/holder.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import type { TestChain } from './chain.ts'
import { countEarly } from './countEarly.ts'
import { TRANSFER } from './simulatedLogs.ts'

/** What is counted of a chain: its logs in order, and the time of each block. */
export interface CountedChain {
  readonly logs: readonly Pick<ChainLog, 'address' | 'topics' | 'data' | 'blockNumber' | 'logIndex' | 'txHash'>[]
  /** Unix seconds. */
  readonly timeOf: (block: number) => number
}

/** How many accounts of each class a launchpad's tokens have together. */
export type EarlyCounts = Readonly<Record<string, Readonly<Record<EarlyClass, number>>>>

interface TradeLine {
  readonly token: Address
  readonly blockNumber: number
  readonly logIndex: number
  readonly txHash: Hex
  readonly side: 'buy' | 'sell'
  readonly maker: Address
  readonly amount: string
}

/** Compares the classes of every balance with a count over the chain's transfers and the indexed trades, and gives the numbers. */
export async function expectEarlyAsCounted(db: Queryable, { logs, timeOf }: CountedChain): Promise<EarlyCounts> {
  const { rows: tokens } = await sql<{ address: Address; creator: Address; launchpad: string; block: number }>`
    select address, creator, launchpad, created_block as block from token`.execute(db)
  const { rows: trades } = await sql<TradeLine>`
    select token, block_number as "blockNumber", log_index as "logIndex", tx_hash as "txHash", side, maker, amount_token as amount
    from trade`.execute(db)
  const { rows: balances } = await sql<{ token: Address; holder: Address; type: string; classes: number }>`
    select token, holder, type, classes from balance`.execute(db)
  const counts: Record<string, Record<EarlyClass, number>> = {}
  for (const { address, creator, launchpad, block } of tokens) {
    const transfers = logs
      .filter(log => log.address === address && log.topics[0] === TRANSFER)
      .map(({ blockNumber, logIndex, txHash, topics: [, from = '0x', to = '0x'], data }) => {
        return { blockNumber, logIndex, txHash, from: addressOf(from), to: addressOf(to), amount: BigInt(data) }
      })
    const swaps = trades
      .filter(trade => trade.token === address)
      .map(trade => ({ ...trade, amount: BigInt(trade.amount), timestamp: timeOf(trade.blockNumber) }))
    const own = balances.filter(({ token }) => token === address)
    const types = new Map(own.map(({ holder, type }) => [holder, type]))
    const expected = countEarly({
      creator,
      launchedAt: timeOf(block),
      events: [...transfers, ...swaps].sort(comparePlaces),
      isWallet: account => (types.get(account) ?? 'wallet') === 'wallet',
    })
    const ofLaunchpad = (counts[launchpad] ??= { creator: 0, sniper: 0, bundler: 0, insider: 0 })
    for (const { holder, classes, type } of own) {
      const names = EARLY_CLASSES.filter(name => expected[name].has(holder))
      expect([launchpad, address, holder, type, classesOf(classes)]).toEqual([launchpad, address, holder, type, names])
      for (const name of names) ofLaunchpad[name]++
    }
  }
  return counts
}

/** All that a chain of contracts has. */
export async function countedChain({ client }: Pick<TestChain, 'client'>): Promise<CountedChain> {
  const logs = await client.getLogs({ fromBlock: 0n })
  const times = new Map<number, number>()
  for (const blockNumber of new Set(logs.map(log => log.blockNumber))) {
    times.set(Number(blockNumber), Number((await client.getBlock({ blockNumber })).timestamp))
  }
  return {
    logs: logs.map(({ address, topics, data, blockNumber, logIndex, transactionHash }) => ({
      address: toAddress(address),
      topics,
      data,
      blockNumber: Number(blockNumber),
      logIndex,
      txHash: transactionHash,
    })),
    timeOf: block => times.get(block) ?? 0,
  }
}

const addressOf = (word: string) => toAddress(`0x${word.slice(-40)}`)
