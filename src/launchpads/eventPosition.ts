import type { ChainLog } from '#domain/block.ts'
import type { TransactionLogs } from './adapter.ts'
import type { EventPosition } from './tokenEvent.ts'

/** Where the events of a log stand in the chain. */
export function eventPosition(log: ChainLog, { header }: Pick<TransactionLogs, 'header'>): EventPosition {
  return { blockNumber: log.blockNumber, blockHash: log.blockHash, timestamp: header.timestamp, txHash: log.txHash, logIndex: log.logIndex }
}
