import type { ChainLog } from '#domain/block.ts'
import type { ChainHeader } from '#rpc/header.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { inconsistent } from '#rpc/rpcFault.ts'
import { areSameLogs } from './orderLogs.ts'
import { readReceiptLogs } from './provenLogs.ts'

/**
 * The logs of a block of which providers show different ones: those of the receipts that its header commits to or, where headers prove
 * nothing, of those that all providers show alike.
 *
 * @throws `RpcError` `inconsistent` when no receipts decide
 */
export async function decideByReceipts(rpc: Pick<Rpc, 'askEach'>, header: ChainHeader): Promise<readonly ChainLog[]> {
  const shown = (await rpc.askEach(provider => readReceiptLogs(provider, header, true))).filter(answer => answer !== null)
  const proven = shown.find(({ isProven }) => isProven)
  if (proven !== undefined) return proven.logs
  const [first, ...others] = shown.map(({ logs }) => logs)
  if (first !== undefined && others.every(logs => areSameLogs(logs, first))) return first
  throw inconsistent(`providers show different logs of block ${header.number}, and no receipts that decide between them`)
}
