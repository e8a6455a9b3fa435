import type { ChainLog } from '#domain/block.ts'
import { comparePlaces } from '#domain/eventPlace.ts'
import { inconsistent } from '#rpc/rpcFault.ts'

/**
 * The logs by their place in the chain, each once: some providers send a log twice. Log indexes need not be consecutive: on public chains
 * they have gaps, and begin with any number.
 *
 * @throws `RpcError` `inconsistent` when a block has two hashes: then the answers are of different chains
 */
export function orderLogs(logs: readonly ChainLog[]): readonly ChainLog[] {
  const ordered: ChainLog[] = []
  for (const log of logs.toSorted(inPlaces)) {
    const before = ordered.at(-1)
    if (before?.blockNumber === log.blockNumber && before.blockHash !== log.blockHash)
      throw inconsistent(`logs of two blocks ${log.blockNumber}`)
    if (before === undefined || !isSameLog(before, log)) ordered.push(log)
  }
  return ordered
}

/** Orders logs by place, and those of one place, of which some may be equal, by content. */
function inPlaces(a: ChainLog, b: ChainLog): number {
  return comparePlaces(a, b) || (contentOf(a) < contentOf(b) ? -1 : 1)
}

/** The second of two different logs in one place; `undefined`: each has its own. Some nodes give such places to logs of the system. */
export function logInTakenPlace(ordered: readonly ChainLog[]): ChainLog | undefined {
  return ordered.find(({ blockNumber, logIndex }, at) => {
    const before = ordered[at - 1]
    return before?.blockNumber === blockNumber && before.logIndex === logIndex
  })
}

/**
 * To be called with the logs that are indexed, since their places are their keys.
 *
 * @throws `RpcError` `inconsistent` for two logs in one place
 */
export function assertOwnPlaces(ordered: readonly ChainLog[]): void {
  const log = logInTakenPlace(ordered)
  if (log !== undefined) throw inconsistent(`two logs ${log.logIndex} of block ${log.blockNumber}`)
}

/** Whether all fields are the same. */
function isSameLog(a: ChainLog, b: ChainLog): boolean {
  return (
    a.blockNumber === b.blockNumber &&
    a.blockHash === b.blockHash &&
    a.logIndex === b.logIndex &&
    a.txIndex === b.txIndex &&
    hasSameContent(a, b)
  )
}

/** Whether they are the same logs, whatever their indexes: nodes may number the logs of an answer and those of receipts differently. */
export function areSameLogs(a: readonly ChainLog[], b: readonly ChainLog[]): boolean {
  const [one, other] = [a, b].map(logs => logs.map(contentOf).toSorted())
  return a.length === b.length && one?.every((content, at) => content === other?.[at]) === true
}

/** Whether two logs are the same but for their indexes. */
export function hasSameContent(a: ChainLog, b: ChainLog): boolean {
  return contentOf(a) === contentOf(b)
}

function contentOf({ txHash, address, topics, data }: ChainLog): string {
  return `${txHash} ${address} ${topics.join()} ${data}`
}
