import type { Address } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { PoolType } from '#domain/token.ts'
import type { Decoded, LaunchpadAdapter, TransactionLogs, WatchedLog } from './adapter.ts'
import { type Directory, watchedBy } from './directory.ts'
import { positionOf } from './eventPosition.ts'
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
  readonly directory: Pick<Directory, 'lookup'>
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
export function decodeLogs({ logs, headers, directory, adapters, weth }: DecodeInput): Decoded {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  const headerOf = new Map(headers.map(header => [header.number, header]))

  let blockEvents: TokenEvent[] = []
  for (let from = 0, to = 0; from < logs.length; from = to) {
    const { blockNumber, txHash } = logs[from] as ChainLog
    const header = headerOf.get(blockNumber)
    if (header === undefined) throw new TypeError(`no header for block ${blockNumber}`)
    const watchedLogs: WatchedLog[] = []
    for (let log = logs[from]; log !== undefined && log.txHash === txHash && log.blockNumber === blockNumber; log = logs[++to]) {
      const watched = watchedBy(log, directory)
      if (watched !== undefined) watchedLogs.push({ log, watched })
    }
    const decoded = decodeTransaction({ header, txHash, logs: watchedLogs }, { directory, adapters, weth })
    for (const event of decoded.events) blockEvents.push(event)
    for (const log of decoded.malformed) malformed.push(log)
    if (logs[to]?.blockNumber === blockNumber) continue
    for (const event of launchesFirst(blockEvents)) events.push(event)
    blockEvents = []
  }
  return { events, malformed }
}

function decodeTransaction(
  transaction: TransactionLogs,
  { directory, adapters, weth }: Pick<DecodeInput, 'directory' | 'adapters' | 'weth'>,
): Decoded {
  const shared = decodeShared(transaction, weth)
  const own = adapters
    .filter(adapter => isConcerned(adapter, transaction))
    .map(adapter => withoutForeign(adapter.decode(transaction), adapter, directory))
  const [first = NOTHING, ...others] = own
  // What a launchpad says of a log takes effect before what is shared, and of two launchpads the first one's.
  const events = inOrder(others.length === 0 ? first.events : own.flatMap(({ events }) => events), shared.events)
  const malformed = own.every(({ malformed }) => malformed.length === 0)
    ? shared.malformed
    : [...shared.malformed, ...own.flatMap(({ malformed }) => malformed)]
  const makers = new Map(own.flatMap(({ makers }) => [...(makers ?? [])]))
  return { events: makers.size === 0 ? events : events.map(event => withMaker(event, makers)), malformed }
}

/** Of another launchpad's token it has nothing to tell, whatever it announces. */
function withoutForeign(decoded: Decoded, { launchpad }: LaunchpadAdapter, directory: DecodeInput['directory']): Decoded {
  const isOwn = ({ token }: TokenEvent) => (directory.lookup(token)?.launchpad ?? launchpad) === launchpad
  return decoded.events.every(isOwn) ? decoded : { ...decoded, events: decoded.events.filter(isOwn) }
}

const NOTHING: Decoded = { events: [], malformed: [] }

/**
 * Both lists as one by log index, of one log first those of the first list. The events of one log keep the order that their decoder gave them.
 *
 * @param first nearly always in order; not when it is of several launchpads, or when a graduation waits for its last trade
 * @param second in order
 */
function inOrder(first: readonly TokenEvent[], second: readonly TokenEvent[]): readonly TokenEvent[] {
  const merged: TokenEvent[] = []
  let next = 0
  for (const event of isInOrder(first) ? first : first.toSorted((a, b) => a.logIndex - b.logIndex)) {
    for (let other = second[next]; other !== undefined && other.logIndex < event.logIndex; other = second[++next]) merged.push(other)
    merged.push(event)
  }
  for (; next < second.length; next++) merged.push(second[next] as TokenEvent)
  return merged
}

function isInOrder(events: readonly TokenEvent[]): boolean {
  for (let index = 1; index < events.length; index++) {
    if ((events[index] as TokenEvent).logIndex < (events[index - 1] as TokenEvent).logIndex) return false
  }
  return true
}

/** Launchpads may share a contract, such as an escrow, which is watched for one of them. */
function isConcerned({ launchpad, contracts }: LaunchpadAdapter, { logs }: TransactionLogs): boolean {
  return logs.some(({ log, watched }) => watched.launchpad === launchpad || contracts.includes(log.address))
}

/** What is the same for every launchpad: transfers of the tokens, and Uniswap pools. */
function decodeShared(transaction: TransactionLogs, weth: Address): { readonly events: TokenEvent[]; readonly malformed: ChainLog[] } {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  for (const entry of transaction.logs) {
    const { log, watched } = entry
    try {
      if (watched.role === 'token' || watched.role === 'tokenCurve') {
        if (log.topics[0] !== TRANSFER_TOPIC) continue
        events.push({ ...positionOf(log, transaction), token: watched.token, kind: 'transfer', ...decodeTransfer(log) })
      } else if (watched.role === 'pool') {
        const decodePool = POOL_DECODERS[watched.pool.type]
        if (decodePool === undefined) continue
        events.push(...decodePool(entry, watched, { ...positionOf(log, transaction), token: watched.token }, transaction, weth))
      }
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(log)
    }
  }
  return { events, malformed }
}

/** A curve is its launchpad's own. */
const POOL_DECODERS: Readonly<Partial<Record<PoolType, typeof decodeUniswapV3>>> = {
  'uniswap-v2': decodeUniswapV2,
  'uniswap-v3': decodeUniswapV3,
  'uniswap-v4': decodeUniswapV4,
}

function withMaker(event: TokenEvent, makers: ReadonlyMap<number, Address>): TokenEvent {
  if (event.kind !== 'trade' || event.maker !== event.token) return event
  return { ...event, maker: makers.get(event.logIndex) ?? event.maker }
}

/** Moves the events of launches' logs, and then the creations of pools, before the others of their block. */
function launchesFirst(events: readonly TokenEvent[]): readonly TokenEvent[] {
  if (!events.some(({ kind }) => kind === 'launch' || kind === 'poolCreated')) return events
  const launchLogs = new Set(events.filter(({ kind }) => kind === 'launch').map(({ logIndex }) => logIndex))
  const rank = (event: TokenEvent) => (launchLogs.has(event.logIndex) ? 0 : event.kind === 'poolCreated' ? 1 : 2)
  return events.toSorted((a, b) => rank(a) - rank(b))
}
