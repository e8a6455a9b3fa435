import type { LogLimit } from '#rpc/logLimit.ts'
import type { RpcFault } from '#rpc/rpcFault.ts'
import type { LogQuery } from './logQueries.ts'

/* What follows from a query of logs that failed. */

/** How a query that failed may be answered. */
export type Retry = 'by-address' | 'in-parts'

/** This many queries in a row that time out are split; after that the provider hangs, and the caller has to know. */
const TIMEOUTS_IN_A_ROW = 2

/** What a fault says about the sizes that a provider answers; `null`: nothing. */
export function refusedLimit(by: LogQuery['by'], fault: RpcFault | null): LogLimit | null {
  if (by === 'topic' && mayNeedAddresses(fault)) return { kind: 'address-required' }
  if (fault?.kind === 'too-large') return fault.limit
  return fault?.kind === 'timeout' ? { kind: 'density' } : null
}

/**
 * @param timeoutsInARow with this one
 * @returns `null` for a fault that smaller queries would meet too
 */
export function retryOf(by: LogQuery['by'], fault: RpcFault | null, timeoutsInARow: number): Retry | null {
  if (by === 'topic' && mayNeedAddresses(fault)) return 'by-address'
  if (fault?.kind === 'too-large') return 'in-parts'
  return fault?.kind === 'timeout' && timeoutsInARow <= TIMEOUTS_IN_A_ROW ? 'in-parts' : null
}

/**
 * Whether a query by topic may have failed for naming no addresses. The faults of a broken provider come back when it is asked by address.
 */
function mayNeedAddresses(fault: RpcFault | null): boolean {
  if (fault?.kind === 'too-large') return fault.limit.kind === 'address-required'
  return fault !== null && ['rejected', 'node', 'http', 'timeout'].includes(fault.kind)
}
