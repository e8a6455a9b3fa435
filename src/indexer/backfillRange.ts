import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainHeader } from '#chain/rawBlock.ts'
import { RpcError } from '#chain/rpcFault.ts'
import type { Address } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { BlockBatch, Watchlist } from './ports.ts'

export interface RangeRequest {
  readonly from: number
  readonly to: number
  /** Addresses that an earlier range announced and that is not committed yet: the watchlist does not know them. */
  readonly announced: readonly Address[]
  /** Past this many logs the range ends early. */
  readonly maxLogs: number
}

export interface FetchedRange {
  readonly batch: BlockBatch
  /** The header of the first block, which tells what the range follows on. */
  readonly first: ChainHeader
  /** Addresses that this range announces. */
  readonly discovered: readonly Address[]
}

type RangeSource = Pick<ChainSource, 'headers' | 'logsInRange'>

/**
 * Fetches a range in two passes. The first takes the logs of everything that is known to be watched; those of the launchpads' contracts
 * announce new addresses. The second takes the new addresses' logs, from the block on that announces them: a creation event comes last in
 * its transaction, after the first transfers and the pool's first price. Not from before that block: following block by block would
 * not have seen those either, and what is indexed must not depend on how it was fetched.
 *
 * All answers are tied to one chain: every query of logs comes with the hash of the range's end, every log's block hash is the one of its
 * block's header, and the end is still the same when everything is there.
 *
 * @throws `RpcError`, `inconsistent` when the chain changed meanwhile
 */
export async function fetchRange(
  source: RangeSource,
  watchlist: Watchlist,
  { from, to, announced, maxLogs }: RangeRequest,
): Promise<FetchedRange> {
  const [first, end] = await source.headers([from, to])
  if (first === undefined || end === undefined) throw new RpcError({ kind: 'missing', what: `block ${from} or ${to}` })
  const known = new Set([...watchlist.addresses(), ...announced])
  const one = await source.logsInRange({ from, to, end, addresses: [...known], maxLogs })

  const found = announcements(one.logs, watchlist, known)
  const since = Math.min(...found.values(), one.to)
  const two = await source.logsInRange({ from: since, to: one.to, end, addresses: [...found.keys()], maxLogs })

  // The second pass may have ended earlier still; what is announced after its end belongs to the next range.
  const last = two.to
  const logs = merge(
    one.logs.filter(({ blockNumber }) => blockNumber <= last),
    two.logs.filter(({ address, blockNumber }) => blockNumber >= (found.get(address) ?? Number.POSITIVE_INFINITY)),
  )
  const [headers, lastHeader] = await Promise.all([fetchHeaders(source, logs), fetchLast(source, last, end)])
  const discovered = [...found].flatMap(([address, block]) => (block <= last ? [address] : []))
  return { batch: { from, to: lastHeader, headers, logs, live: false, behind: true }, first, discovered }
}

/** The addresses that the contracts' logs announce and that are not known, each with the block that announces it. */
function announcements(logs: readonly ChainLog[], watchlist: Watchlist, known: ReadonlySet<Address>): ReadonlyMap<Address, number> {
  const contracts = new Set(watchlist.contracts)
  const found = new Map<Address, number>()
  const ofContracts = logs.filter(({ address }) => contracts.has(address))
  for (const [block, blockLogs] of Map.groupBy(ofContracts, ({ blockNumber }) => blockNumber)) {
    for (const address of watchlist.discover(blockLogs)) if (!known.has(address) && !found.has(address)) found.set(address, block)
  }
  return found
}

/** The headers of the blocks that have logs, ascending. Every single log is held against its header: one answer may mix two forks. */
async function fetchHeaders(source: RangeSource, logs: readonly ChainLog[]): Promise<readonly ChainHeader[]> {
  const headers = await source.headers([...new Set(logs.map(({ blockNumber }) => blockNumber))])
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
  for (const { blockNumber, blockHash } of logs) if (hashes.get(blockNumber) !== blockHash) throw replaced(blockNumber)
  return headers
}

/** The range's last block, of a provider that still has the block that the range's answers were tied to. */
async function fetchLast(source: RangeSource, number: number, end: ChainHeader): Promise<ChainHeader> {
  const [last, again] = await source.headers([number, end.number])
  if (last === undefined || again?.hash !== end.hash) throw replaced(end.number)
  return last
}

function replaced(number: number): RpcError {
  return new RpcError({ kind: 'inconsistent', what: `block ${number} was replaced while its range was fetched` })
}

/** Two ascending lists as one. */
function merge(a: readonly ChainLog[], b: readonly ChainLog[]): readonly ChainLog[] {
  if (b.length === 0) return a
  return [...a, ...b].sort((x, y) => x.blockNumber - y.blockNumber || x.logIndex - y.logIndex)
}
