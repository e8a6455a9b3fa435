import { fetchHeader } from '#chain/block.ts'
import { logsOfReceipts } from '#chain/logs/provenLogs.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { TokenwireError } from '#errors'
import { decode, withFound } from '#launchpads/decodeLogs.ts'
import { createDirectory, type Directory } from '#launchpads/directory/directory.ts'
import { sourceOf } from '#launchpads/logSource.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { fieldsOf, parseQuantity } from '#rpc/header.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { receiptOf } from '#rpc/rpcCalls.ts'
import { findUnknowns } from '#sync/committer.ts'
import type { ConnectedChain } from './connectChain.ts'

/**
 * What the launchpads make of these transactions, one after the other, as text: a line for each token event, and for each log of a known
 * contract that gives none. A token is known from the transaction that launches it on.
 *
 * @throws `TokenwireError` `config_invalid` for a transaction that no provider has; `RpcError`
 */
export async function tryTransactions(
  { rpc, source, launchpads }: Pick<ConnectedChain, 'rpc' | 'source' | 'launchpads'>,
  weth: Address,
  transactions: readonly Hex[],
): Promise<string> {
  const adapters = createAdapters({ weth, launchpads })
  const directory = createDirectory(adapters)
  const lines: string[] = []
  for (const hash of transactions) {
    const { number, logs } = await fetchTransaction(rpc, hash)
    const header = await rpc.ask(provider => fetchHeader(provider, number))
    const decoded = decode({ logs, headers: [header], directory, adapters, announced: [] })
    directory.add(decoded.discoveries, number)
    const { events } = withFound(decoded.events, await findUnknowns(decoded.events, source))
    lines.push(`${hash} in block ${number}: ${events.length} events from ${logs.length} logs`, ...events.map(lineOf))
    lines.push(...silentLogs(logs, { events, malformed: decoded.malformed, directory }))
    const isKnown = ({ token }: TokenEvent) => token === ZERO_ADDRESS || directory.lookup(token) !== undefined
    if (events.length === 0 || !events.every(isKnown))
      lines.push('  its token is not known: give the transaction that launched it before this one')
  }
  return lines.join('\n')
}

async function fetchTransaction(rpc: Pick<Rpc, 'request'>, hash: Hex) {
  const receipt = await rpc.request(receiptOf(hash))
  if (receipt === null) throw new TokenwireError('config_invalid', `no provider knows the transaction ${hash}, or it is not mined yet`)
  const fields = fieldsOf(receipt, 'receipt')
  return { number: parseQuantity(fields['blockNumber'], 'receipt: blockNumber'), logs: logsOfReceipts([fields]) }
}

function lineOf({ kind, logIndex, token, ...rest }: TokenEvent): string {
  const { blockNumber: _, blockHash: __, timestamp: ___, txHash: ____, txIndex: _____, ...fields } = rest
  const shown = JSON.stringify(fields, (name, value: unknown) => {
    if (name === 'price' && typeof value === 'bigint') return formatDecimal(value as Parameters<typeof formatDecimal>[0])
    return typeof value === 'bigint' ? String(value) : value
  })
  return `  log ${logIndex}: ${kind} of ${token} ${shown}`
}

interface Told {
  readonly events: readonly TokenEvent[]
  readonly malformed: readonly ChainLog[]
  readonly directory: Directory
}

/** The logs of known contracts that tell nothing, and why. */
function silentLogs(logs: readonly ChainLog[], { events, malformed, directory }: Told): readonly string[] {
  const told = new Set(events.map(({ logIndex }) => logIndex))
  return logs.flatMap(log => {
    const { address, topics, logIndex } = log
    if (malformed.includes(log)) return [`  log ${logIndex}: of ${address}, does not fit the event that its first topic names`]
    const role = sourceOf(log, directory)?.role
    if (told.has(logIndex) || role === undefined) return []
    return [`  log ${logIndex}: of ${address} (${role}), topic ${topics[0] ?? 'none'}: no event is mapped, or it changes nothing`]
  })
}
