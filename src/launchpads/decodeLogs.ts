import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { Decoded, LaunchpadAdapter, TransactionLogs, Watched, WatchedLog } from './adapter.ts'
import { watchedBy } from './directory.ts'
import { positionOf } from './position.ts'
import type { TokenEvent } from './tokenEvent.ts'
import { decodeTransfer, TRANSFER_TOPIC } from './transfer.ts'
import { decodeUniswapV2 } from './uniswapV2.ts'
import { decodeUniswapV3 } from './uniswapV3.ts'
import { decodeUniswapV4 } from './uniswapV4.ts'
import { MalformedLogError } from './words.ts'

export interface DecodeInput {
  /** Of one run of blocks, ascending by (block, log index). */
  readonly logs: readonly ChainLog[]
  /** The headers of the blocks that hold the logs. */
  readonly headers: readonly BlockHeader[]
  /** Why an address is watched, what this run's own logs add included. */
  lookup(address: Hex): Watched | undefined
  readonly adapters: readonly LaunchpadAdapter[]
  readonly weth: Address
}

/**
 * Turns logs into events of tokens, in the order in which they take effect. A launch comes last in its transaction on the chain and first
 * among the events of its block here, and the announcement of a pool before what moved it: what happened before the announcement happened
 * all the same. Pure.
 *
 * @throws `TypeError` when a header is missing, which is a defect in the caller
 */
export function decodeLogs({ logs, headers, lookup, adapters, weth }: DecodeInput): Decoded {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  const headerOf = new Map(headers.map(header => [header.number, header]))

  for (const block of runs(logs, log => log.blockNumber)) {
    const header = headerOf.get(block[0].blockNumber)
    if (header === undefined) throw new TypeError(`no header for block ${block[0].blockNumber}`)
    const blockEvents: TokenEvent[] = []
    for (const transactionLogs of runs(block, log => log.txHash)) {
      const watchedLogs: WatchedLog[] = []
      for (const log of transactionLogs) {
        const watched = watchedBy(log, lookup)
        if (watched !== undefined) watchedLogs.push({ log, watched })
      }
      const transaction: TransactionLogs = { header, txHash: transactionLogs[0].txHash, logs: watchedLogs }
      const decoded = decodeTransaction(transaction, adapters, weth)
      blockEvents.push(...decoded.events)
      malformed.push(...decoded.malformed)
    }
    events.push(...launchesFirst(blockEvents))
  }
  return { events, malformed }
}

function decodeTransaction(transaction: TransactionLogs, adapters: readonly LaunchpadAdapter[], weth: Address): Decoded {
  const launchpads = new Set(transaction.logs.map(({ watched }) => watched.launchpad))
  // Launchpads may share a contract, such as an escrow, which is watched for one of them.
  const isConcerned = ({ launchpad, contracts }: LaunchpadAdapter) =>
    launchpads.has(launchpad) || transaction.logs.some(({ log }) => contracts.includes(log.address))
  const own = adapters.filter(isConcerned).map(adapter => adapter.decode(transaction))
  const shared = decodeShared(transaction, weth)
  const makers = new Map(own.flatMap(decoded => [...(decoded.makers ?? [])]))
  const events = [...own.flatMap(({ events }) => events), ...shared.events.map(event => withMaker(event, makers))]
  // Stable: the events of one log keep the order that its decoder gave them.
  events.sort((a, b) => a.logIndex - b.logIndex)
  return { events, malformed: [...own.flatMap(({ malformed }) => malformed), ...shared.malformed] }
}

/** What is the same for every launchpad: transfers of the tokens, and Uniswap pools. */
function decodeShared(transaction: TransactionLogs, weth: Address): Decoded {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  for (const entry of transaction.logs) {
    const { log, watched } = entry
    try {
      if ((watched.role === 'token' || watched.role === 'tokenCurve') && log.topics[0] === TRANSFER_TOPIC) {
        events.push({ ...positionOf(log, transaction), token: watched.token, kind: 'transfer', ...decodeTransfer(log) })
      } else if (watched.role === 'pool' && watched.pool.type === 'uniswap-v2') {
        events.push(...decodeUniswapV2(entry, watched, { ...positionOf(log, transaction), token: watched.token }, transaction, weth))
      } else if (watched.role === 'pool' && watched.pool.type === 'uniswap-v3') {
        events.push(...decodeUniswapV3(entry, watched, { ...positionOf(log, transaction), token: watched.token }, transaction, weth))
      } else if (watched.role === 'pool' && watched.pool.type === 'uniswap-v4') {
        events.push(...decodeUniswapV4(entry, watched, { ...positionOf(log, transaction), token: watched.token }, transaction, weth))
      }
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(log)
    }
  }
  return { events, malformed }
}

function withMaker(event: TokenEvent, makers: ReadonlyMap<number, Address>): TokenEvent {
  if (event.kind !== 'trade' || event.maker !== event.token) return event
  return { ...event, maker: makers.get(event.logIndex) ?? event.maker }
}

/** Moves the events of launches' logs, and then the creations of pools, before the others of their block. */
function launchesFirst(events: readonly TokenEvent[]): readonly TokenEvent[] {
  const launchLogs = new Set(events.filter(({ kind }) => kind === 'launch').map(({ logIndex }) => logIndex))
  const rank = (event: TokenEvent) => (launchLogs.has(event.logIndex) ? 0 : event.kind === 'poolCreated' ? 1 : 2)
  return events.some(event => rank(event) < 2) ? events.toSorted((a, b) => rank(a) - rank(b)) : events
}

/** Splits a list into its runs of equal keys. */
function runs<T>(items: readonly T[], key: (item: T) => unknown): (readonly [T, ...T[]])[] {
  const result: [T, ...T[]][] = []
  for (const item of items) {
    const run = result.at(-1)
    if (run !== undefined && key(run[0]) === key(item)) run.push(item)
    else result.push([item])
  }
  return result
}
