import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { BlockCalls, CallAnswer, ContractCall } from '#domain/contractCall.ts'
import type { DecodedLogs } from '#launchpads/adapter.ts'
import { type DatedDirectory, decodeLogs, type LogsToDecode } from '#launchpads/decodeLogs.ts'
import type { Directory } from '#launchpads/directory/directory.ts'
import type { IndexedSource, LogSource } from '#launchpads/logSource.ts'
import type { TokenEvent, TokenEventOf, UnreadLaunch } from '#launchpads/tokenEvent.ts'

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
