import type { LogLimit } from './logLimit.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import type { RpcFault } from './rpcFault.ts'

/** A smaller form of a log query, whose answer is empty or small. */
export interface SmallerQuery {
  readonly call: RpcCall
  /** What the query has too much of if this one is answered, and the next larger one is not. */
  readonly limit: LogLimit
}

/** Faults that the size of a query may be the reason for. A single broken connection proves too little. */
export function mayBeTooLarge({ kind }: RpcFault, lossesInARow: number): boolean {
  switch (kind) {
    case 'closed':
    case 'wrong-chain':
    case 'inconsistent':
    case 'too-large':
      return false
    case 'network':
      return lossesInARow > 1
    default:
      return true
  }
}

/**
 * Distinguishes a query that is too large from a provider in trouble, without reading its words: a provider that limits its rate, or fails,
 * lets a small query through as little as a large one. What answers a small one at the same moment has refused the size.
 *
 * @param smaller of the refused query, the smallest first; they are asked in turn until one is not answered
 * @returns `null` when not even the smallest is answered: the trouble is not the size
 */
export async function exceededLimit(
  smaller: readonly SmallerQuery[],
  isAnswered: (call: RpcCall) => Promise<boolean>,
): Promise<LogLimit | null> {
  let limit: LogLimit | null = null
  for (const query of smaller) {
    if (!(await isAnswered(query.call))) break
    limit = query.limit
  }
  return limit
}
