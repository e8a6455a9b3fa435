import type { LogLimit } from '#rpc/logLimit.ts'
import type { RpcFault } from '#rpc/rpcFault.ts'
import type { LogQuery } from './logQueries.ts'

/* What to do after a log query failed. */

/** How to ask again after a query failed. */
export type Retry = 'by-address' | 'in-parts'

/** This many timed-out queries in a row are split. After that the provider is taken to hang, and the caller gets the error. */
const TIMEOUTS_IN_A_ROW = 2

/** What a fault says about the sizes that a provider answers; `null`: nothing. */
export function refusedLimit(by: LogQuery['by'], fault: RpcFault | null): LogLimit | null {
  if (by === 'topic' && mayNeedAddresses(fault)) return { kind: 'address-required' }
  if (fault?.kind === 'too-large') return fault.limit
  return fault?.kind === 'timeout' ? { kind: 'density' } : null
}

/**
 * @param timeoutsInARow this one included
 * @returns `null` for a fault that smaller queries would meet too
 */
export function retryOf(by: LogQuery['by'], fault: RpcFault | null, timeoutsInARow: number): Retry | null {
  if (by === 'topic' && mayNeedAddresses(fault)) return 'by-address'
  if (fault?.kind === 'too-large') return 'in-parts'
  return fault?.kind === 'timeout' && timeoutsInARow <= TIMEOUTS_IN_A_ROW ? 'in-parts' : null
}

/** Whether a query by topic may have failed for naming no addresses. If the provider is broken instead, the query by address shows it. */
function mayNeedAddresses(fault: RpcFault | null): boolean {
  if (fault?.kind === 'too-large') return fault.limit.kind === 'address-required'
  return fault !== null && ['rejected', 'node', 'http', 'timeout'].includes(fault.kind)
}
