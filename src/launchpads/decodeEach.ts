import type { ChainLog } from '#domain/block.ts'
import type { DecodedLogs, SourcedLog, TransactionLogs } from './adapter.ts'
import { MalformedLogError } from './malformedLog.ts'
import type { TokenEvent } from './tokenEvent.ts'

/** Decodes the logs of a transaction one by one. A malformed log gives no events and is reported. */
export function decodeEach(
  { logs }: Pick<TransactionLogs, 'logs'>,
  decode: (entry: SourcedLog) => readonly TokenEvent[],
): Pick<DecodedLogs, 'events' | 'malformed'> {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  for (const entry of logs) {
    try {
      for (const event of decode(entry)) events.push(event)
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(entry.log)
    }
  }
  return { events, malformed }
}
