import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { BlockCalls, CallAnswer, ContractCall } from '#domain/contractCall.ts'
import type { PoolType } from '#domain/token.ts'
import { type DecodedLogs, decodeEach, type LaunchpadAdapter, type SourcedLog, type TransactionLogs } from './adapter.ts'
import type { Directory } from './directory/directory.ts'
import { type IndexedSource, type LogSource, sourceOf } from './logSource.ts'
import { decodeTransfer, findMakers, TRANSFER_TOPIC } from './maker.ts'
import type { DecodePool } from './pools/poolTrade.ts'
import { decodeUniswapV2 } from './pools/uniswapV2.ts'
import { decodeUniswapV3 } from './pools/uniswapV3.ts'
import { decodeUniswapV4 } from './pools/uniswapV4.ts'
import { eventPosition, type TokenEvent, type TokenEventOf, type UnreadLaunch } from './tokenEvent.ts'

/** What is known of addresses, and since when. */
export interface DatedDirectory extends Pick<Directory, 'lookup'> {
  /** The block that announces an address; 0 when it is indexed already or not watched. Left out: everything is indexed already. */
  announcedAt?(address: Address): number
  /** A contract that the launchpad's entry names. Other entries may name it, too. */
  contractOf?(launchpad: string, address: Address): LogSource | undefined
}

/**
 * What a launchpad knows of an address at a block. Nothing is known sooner than by indexing block by block, and nothing that only another
 * launchpad knows: the rows of a token follow from its own launchpad, whichever others are indexed beside it.
 */
export function knownAt(directory: DatedDirectory, address: Address, launchpad: string, block: number): LogSource | undefined {
  const contract = directory.contractOf?.(launchpad, address)
  if (contract !== undefined) return contract
  const source = (directory.announcedAt?.(address) ?? 0) <= block ? directory.lookup(address) : undefined
  return source?.launchpad === launchpad ? source : undefined
}

export interface LogsToDecode {
  /** The logs of consecutive blocks, ascending by block and log index. */
  readonly logs: readonly ChainLog[]
  readonly headers: readonly BlockHeader[]
  /** Must have the sources that these logs add. */
  readonly directory: DatedDirectory
  readonly adapters: readonly LaunchpadAdapter[]
}

/**
 * Turns logs into token events, in the order in which they take effect. Launchpads emit the creation event last in its transaction, after
 * the pool's first price and the creator's first buy. So launches are put first among the events of their block, then new pools. Logs
 * before the start block of their launchpad give nothing. Pure.
 */
export function decodeLogs({ logs, headers, directory, adapters }: LogsToDecode): DecodedLogs {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  const headerOf = new Map(headers.map(header => [header.number, header]))
  const startOf = new Map(adapters.map(({ launchpad, startBlock }) => [launchpad, startBlock]))
  const hasStarted = ({ launchpad }: LogSource, block: number) => block >= (startOf.get(launchpad) ?? 0)

  let blockEvents: TokenEvent[] = []
  for (let from = 0, to = 0; from < logs.length; from = to) {
    const { blockNumber, txHash } = logs[from] as ChainLog
    const header = headerOf.get(blockNumber)
    if (header === undefined) throw new TypeError(`no header for block ${blockNumber}`)
    const sourced: SourcedLog[] = []
    for (let log = logs[from]; log !== undefined && log.txHash === txHash && log.blockNumber === blockNumber; log = logs[++to]) {
      const source = sourceOf(log, directory)
      if (source !== undefined && hasStarted(source, blockNumber)) sourced.push({ log, source })
    }
    const decoded = decodeTransaction({ header, txHash, logs: sourced }, { directory, adapters })
    for (const event of decoded.events) blockEvents.push(event)
    for (const log of decoded.malformed) malformed.push(log)
    if (logs[to]?.blockNumber === blockNumber) continue
    for (const event of withUnreadPools(launchesFirst(blockEvents), directory)) events.push(event)
    blockEvents = []
  }
  return { events, malformed }
}

function decodeTransaction(
  transaction: TransactionLogs,
  { directory, adapters }: Pick<LogsToDecode, 'directory' | 'adapters'>,
): DecodedLogs {
  const shared = decodeShared(transaction)
  const own: TokenEvent[] = []
  const malformed = [...shared.malformed]
  const makers = new Map<number, Address>()
  const partialSwaps = new Set<number>()
  for (const adapter of adapters) {
    if (transaction.header.number < adapter.startBlock || !hasLogsFor(adapter, transaction)) continue
    const decoded = adapter.decode(transaction, key => directory.lookup(key))
    // Events of other launchpads' tokens are left out: creators of one launchpad may be able to name a token of another.
    const isOwn = ({ token }: TokenEvent) => (directory.lookup(token)?.launchpad ?? adapter.launchpad) === adapter.launchpad
    for (const event of decoded.events) if (isOwn(event)) own.push(event)
    malformed.push(...decoded.malformed)
    for (const [logIndex, maker] of decoded.makers ?? []) makers.set(logIndex, maker)
    for (const logIndex of decoded.partialSwaps ?? []) partialSwaps.add(logIndex)
  }
  const ofPools =
    partialSwaps.size === 0 ? shared.events : shared.events.filter(event => !(isPoolTrade(event) && partialSwaps.has(event.logIndex)))
  const events = mergeByLogIndex(graduationsLast(own), ofPools)
  return { events: withMakers(events, transaction, event => (isPoolTrade(event) ? withActor(event, makers, directory) : event)), malformed }
}

/** Puts the end of a curve after its last trade: contracts may log the buy that reaches the target after the graduation. */
function graduationsLast(events: readonly TokenEvent[]): readonly TokenEvent[] {
  if (!events.some(endsCurve)) return events
  const lastTrades = new Map<Address, number>()
  for (const { kind, token, logIndex } of events) if (kind === 'trade') lastTrades.set(token, logIndex)
  const lastTradeOf = (event: TokenEvent) => (endsCurve(event) ? (lastTrades.get(event.token) ?? 0) : 0)
  const delayed = events.filter(event => lastTradeOf(event) > event.logIndex)
  const kept = events.filter(event => !delayed.includes(event))
  return [...kept, ...delayed.map(event => ({ ...event, logIndex: lastTradeOf(event) }))]
}

function endsCurve({ kind }: TokenEvent): boolean {
  return kind === 'completed' || kind === 'migrated'
}

/** Merges by log index, at a tenth of a sort's cost; `shared` is sorted. Of one log, the launchpads' own events take effect first. */
function mergeByLogIndex(own: readonly TokenEvent[], shared: readonly TokenEvent[]): readonly TokenEvent[] {
  const merged: TokenEvent[] = []
  let next = 0
  const isSorted = own.every((event, index) => index === 0 || event.logIndex >= (own[index - 1] as TokenEvent).logIndex)
  for (const event of isSorted ? own : own.toSorted((a, b) => a.logIndex - b.logIndex)) {
    for (let other = shared[next]; other !== undefined && other.logIndex < event.logIndex; other = shared[++next]) merged.push(other)
    merged.push(event)
  }
  for (; next < shared.length; next++) merged.push(shared[next] as TokenEvent)
  return merged
}

/** Launchpads may share a contract, such as an escrow, whose source names only one of them. */
function hasLogsFor({ launchpad, contracts }: LaunchpadAdapter, { logs }: TransactionLogs): boolean {
  return logs.some(({ log, source }) => source.launchpad === launchpad || contracts.some(({ address }) => address === log.address))
}

function decodeShared(transaction: TransactionLogs): DecodedLogs {
  return decodeEach(transaction, ({ log, source }) => {
    switch (source.role) {
      case 'token':
      case 'tokenCurve':
        if (log.topics[0] !== TRANSFER_TOPIC) return []
        return [{ ...eventPosition(log, transaction), token: source.token, kind: 'transfer', ...decodeTransfer(log) }]
      case 'pool': {
        const { token, pool, tokenDecimals } = source
        const decodePool = POOL_DECODERS[pool.type]
        if (decodePool === undefined) return []
        return decodePool({ log, pool, tokenDecimals, at: { ...eventPosition(log, transaction), token }, transaction })
      }
      case 'quotePool': {
        const { token, pool } = source
        const at = { ...eventPosition(log, transaction), token }
        const decoded = POOL_DECODERS[pool.type]?.({ log, pool, tokenDecimals: SMALLEST_UNITS, at, transaction }) ?? []
        return decoded.filter(({ kind }) => kind === 'poolChanged')
      }
      default:
        return []
    }
  })
}

/** A quote currency is counted in 10^18 of its smallest units, whatever its decimals. */
const SMALLEST_UNITS = 18

/** Curves are decoded by their launchpads. */
const POOL_DECODERS: Readonly<Partial<Record<PoolType, DecodePool>>> = {
  'uniswap-v2': decodeUniswapV2,
  'uniswap-v3': decodeUniswapV3,
  'uniswap-v4': decodeUniswapV4,
}

function isPoolTrade(event: TokenEvent): event is TokenEventOf<'trade'> {
  return event.kind === 'trade' && event.phase === 'pool'
}

/** Looks for the makers of the trades that the token's transfers show. All trades have to be known: a transfer belongs to one of them. */
function withMakers(
  events: readonly TokenEvent[],
  { logs }: TransactionLogs,
  complete: (event: TokenEvent) => TokenEvent,
): readonly TokenEvent[] {
  const settled = events.flatMap(event => {
    if (event.kind !== 'trade' || event.settlement === undefined) return []
    const { token, side, amountToken, logIndex, settlement } = event
    return { event, swap: { token, side, amountToken, logIndex, ...settlement } }
  })
  if (settled.length === 0) return events
  const found = findMakers(
    logs,
    settled.map(({ swap }) => swap),
  )
  const makers = new Map<TokenEvent, Address | null>(settled.map(({ event }, index) => [event, found[index] ?? null]))
  return events.map(event => {
    const maker = makers.get(event)
    if (event.kind !== 'trade' || maker === undefined) return complete(event)
    const { settlement: _, bySender, ...known } = event
    return complete(maker !== null ? { ...known, maker } : bySender === undefined ? known : { ...known, bySender })
  })
}

/**
 * Finds the maker of a trade whose transfers show none, or end in a contract that acts for another account: a launchpad's, a pool, or the
 * token itself. The maker is the account that the launchpad names, else the transaction's sender; if the transfers end in the token, it
 * stays the token.
 */
function withActor(trade: TokenEventOf<'trade'>, makers: ReadonlyMap<number, Address>, directory: DatedDirectory): TokenEvent {
  const { bySender = false, ...known } = trade
  const source = knownAt(directory, trade.maker, directory.lookup(trade.token)?.launchpad ?? '', trade.blockNumber)
  // A pool that gets another pool's tokens, as on the way through two pools, passes them on to somebody.
  const actsForOther = bySender || (source !== undefined && source.role !== 'token' && trade.maker !== trade.token)
  const named = actsForOther || trade.maker === trade.token ? makers.get(trade.logIndex) : undefined
  if (named !== undefined) return { ...known, maker: named }
  return actsForOther ? { ...trade, bySender: true } : trade
}

const BALANCE_OF = '0x70a08231'
/** A call that only a pool answers: what the mapping takes for one may be another address. */
const SLOT0 = '0x3850c7bd'

/**
 * Asks for the reserves of Uniswap v3 pools that were initialised before the block that announces them: anybody may make the pool of a
 * token that has not graduated. Other pools tell what they hold by an event.
 */
function withUnreadPools(events: readonly TokenEvent[], directory: DatedDirectory): readonly TokenEvent[] {
  const isOld = (event: TokenEvent): event is TokenEventOf<'poolCreated'> =>
    event.kind === 'poolCreated' &&
    event.pool.type === 'uniswap-v3' &&
    directory.announcedAt?.(event.pool.address as Address) === event.blockNumber &&
    !events.some(other => other.kind === 'poolChanged' && other.pool === event.pool.address && other.reserves?.mode === 'set')
  if (!events.some(isOld)) return events
  return events.map(event => {
    if (!isOld(event)) return event
    const { address, quoteToken } = event.pool
    const data: Hex = `${BALANCE_OF}${address.slice(2).padStart(64, '0')}`
    const calls = [...[event.token, quoteToken].map(to => ({ to, data })), { to: address as Address, data: SLOT0 }] as const
    return { ...event, unread: calls.map(call => ({ ...call, isOptional: true })) }
  })
}

function launchesFirst(events: readonly TokenEvent[]): readonly TokenEvent[] {
  if (!events.some(({ kind }) => kind === 'launch' || kind === 'poolCreated')) return events
  const launchLogs = new Set(events.filter(({ kind }) => kind === 'launch').map(({ logIndex }) => logIndex))
  const rank = (event: TokenEvent) => (launchLogs.has(event.logIndex) ? 0 : event.kind === 'poolCreated' ? 1 : 2)
  return events.toSorted((a, b) => rank(a) - rank(b))
}

type IndexedDirectory = Pick<Directory, 'lookup'> & Pick<DatedDirectory, 'contractOf'>

export interface DecodeInput extends Omit<LogsToDecode, 'directory'> {
  readonly directory: IndexedDirectory & Pick<Directory, 'discoveries'>
  /** The sources that earlier batches announce, as long as these are not committed. */
  readonly announced: readonly IndexedSource[]
}

export interface Decoded extends DecodedLogs {
  /** Tokens and pools that the logs announce. */
  readonly discoveries: readonly IndexedSource[]
  /** The watched sources, including those that these logs and earlier batches announce. */
  readonly directory: DatedDirectory
}

/** Turns logs into token events, by the directory's sources and those that these logs and earlier batches announce. Pure. */
export function decode({ logs, headers, directory, adapters, announced }: DecodeInput): Decoded {
  const discoveries = directory.discoveries(logs, announced)
  const known = new AnnouncedDirectory(directory, [...announced, ...discoveries])
  // Logs of an address before the block that announces it are left out, since indexing block by block would not see them.
  const seen = logs.filter(({ address, blockNumber }) => blockNumber >= known.announcedAt(address))
  const { events, malformed } = decodeLogs({ logs: seen, headers, directory: known, adapters })
  return { events, discoveries, directory: known, malformed }
}

/**
 * The directory and the sources that are announced but not committed. It is a class, since V8 would optimise the lookup of a closure again
 * for every batch.
 */
class AnnouncedDirectory {
  readonly #indexed: IndexedDirectory
  readonly #announced: ReadonlyMap<Hex, IndexedSource>

  constructor(indexed: IndexedDirectory, announced: readonly IndexedSource[]) {
    this.#indexed = indexed
    this.#announced = new Map(announced.map(found => [found.key, found]))
  }

  lookup(address: Hex): LogSource | undefined {
    return this.#indexed.lookup(address) ?? this.#announced.get(address)?.source
  }

  contractOf(launchpad: string, address: Address): LogSource | undefined {
    return this.#indexed.contractOf?.(launchpad, address)
  }

  /** The block that announces the address; 0 when it is indexed already or not watched. */
  announcedAt(address: Hex): number {
    return this.#announced.get(address)?.block ?? 0
  }
}

/** The facts that events need and no log contains: senders of transactions, and answers of calls. */
export interface Unknowns {
  /** The transactions whose senders are makers of trades or creators of tokens. */
  readonly transactions: readonly Pick<TokenEvent, 'txHash' | 'blockHash' | 'txIndex'>[]
  readonly calls: readonly BlockCalls[]
}

/** The facts that were found of the unknowns. */
export interface Found {
  /** The senders by transaction hash. */
  readonly senders: ReadonlyMap<Hex, Address>
  /** The answers by block hash, in the order of the block's calls. */
  readonly answers: ReadonlyMap<Hex, readonly CallAnswer[]>
}

type UnreadLaunchEvent = TokenEventOf<'launch'> & { readonly unread: UnreadLaunch }
type UnreadPoolEvent = TokenEventOf<'poolCreated'> & { readonly unread: readonly ContractCall[] }
type UnreadEvent = UnreadLaunchEvent | UnreadPoolEvent

export function unknownsOf(events: readonly TokenEvent[]): Unknowns {
  const transactions = new Map<Hex, Unknowns['transactions'][number]>()
  const calls = new Map<Hex, BlockCalls & { readonly calls: ContractCall[] }>()
  for (const event of events) {
    const { txHash, blockHash, txIndex, blockNumber } = event
    if (isBySender(event)) transactions.set(txHash, { txHash, blockHash, txIndex })
    if (!isUnread(event)) continue
    const block = calls.get(blockHash) ?? { number: blockNumber, hash: blockHash, calls: [] }
    block.calls.push(...callsOf(event))
    calls.set(blockHash, block)
  }
  return { transactions: [...transactions.values()], calls: [...calls.values()] }
}

/** Completes the events by what was found. `unreadable`: the launches that can't be indexed. */
export function withFound(
  events: readonly TokenEvent[],
  found: Found,
): { readonly events: readonly TokenEvent[]; readonly unreadable: readonly TokenEventOf<'launch'>[] } {
  const unreadable: TokenEventOf<'launch'>[] = []
  const read = new Map<Hex, number>()
  const complete = (event: UnreadEvent): readonly TokenEvent[] => {
    const { blockHash } = event
    const first = read.get(blockHash) ?? 0
    const last = first + callsOf(event).length
    read.set(blockHash, last)
    const answers = found.answers.get(blockHash)?.slice(first, last) ?? []
    if (event.kind === 'poolCreated') return [withReserves(events, event, answers)]
    const completed = event.unread.complete(answers, mintedIn(events, event))
    if (completed.length === 0) unreadable.push(event)
    return completed
  }
  const known = events.some(isUnread) ? events.flatMap(event => (isUnread(event) ? complete(event) : event)) : events
  return { events: found.senders.size === 0 ? known : known.map(event => withSender(event, found.senders)), unreadable }
}

function isUnread(event: TokenEvent): event is UnreadEvent {
  return (event.kind === 'launch' || event.kind === 'poolCreated') && event.unread !== undefined
}

function callsOf(event: UnreadEvent): readonly ContractCall[] {
  return event.kind === 'launch' ? event.unread.calls : event.unread
}

/** The pool with what it held before its events of the block: its balances after the block, without what these events moved. */
function withReserves(events: readonly TokenEvent[], event: UnreadPoolEvent, answers: readonly CallAnswer[]): TokenEvent {
  const isPool = (answers[2]?.length ?? 0) > WORD_LENGTH
  let [token, quote] = answers.map(answer => (isPool && answer?.length === WORD_LENGTH ? BigInt(answer) : null))
  for (const other of events) {
    if (other.kind !== 'poolChanged' || other.pool !== event.pool.address || other.blockHash !== event.blockHash) continue
    if (other.reserves?.mode !== 'move') continue
    if (typeof token === 'bigint') token -= other.reserves.token
    if (typeof quote === 'bigint') quote -= other.reserves.quote
  }
  const known = (reserve: bigint | null | undefined) => (typeof reserve === 'bigint' && reserve >= 0n ? reserve : null)
  const { unread: _, ...created } = event
  return { ...created, reserves: { token: known(token), quote: known(quote) } }
}

/** Of `0x` and the 32 bytes of a number. */
const WORD_LENGTH = 66

function isBySender(event: TokenEvent): event is TokenEventOf<'launch' | 'trade'> {
  return (event.kind === 'launch' || event.kind === 'trade') && event.bySender === true
}

function withSender(event: TokenEvent, senders: Found['senders']): TokenEvent {
  if (!isBySender(event)) return event
  const sender = senders.get(event.txHash)
  if (sender === undefined) return event
  return event.kind === 'launch' ? { ...event, creator: sender } : { ...event, maker: sender }
}

/** The amount that the transfers of a launch's block mint of its token, less the amount that they burn. */
function mintedIn(events: readonly TokenEvent[], { token, blockHash }: UnreadLaunchEvent): bigint {
  let minted = 0n
  for (const event of events) {
    if (event.kind !== 'transfer' || event.token !== token || event.blockHash !== blockHash) continue
    if (event.from === ZERO_ADDRESS) minted += event.amount
    if (event.to === ZERO_ADDRESS) minted -= event.amount
  }
  return minted
}
