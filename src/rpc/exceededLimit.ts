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
 * @param smaller of the refused query, the smallest first; they are asked in turn until one is not answered. A further list holds the same
 *   of another block, and is asked when the node refuses even the smallest: nodes fail at single blocks
 * @param cause why the query has no answer
 * @returns `null` when not even the smallest is answered: the trouble is not the size
 */
export async function exceededLimit(
  smaller: readonly (readonly SmallerQuery[])[],
  cause: RpcFault,
  isAnswered: (call: RpcCall) => Promise<boolean>,
): Promise<LogLimit | null> {
  const isRefusal = cause.kind === 'node' || cause.kind === 'rejected' || cause.kind === 'http'
  for (const ofOneBlock of isRefusal ? smaller : smaller.slice(0, 1)) {
    let limit: LogLimit | null = null
    for (const query of ofOneBlock) {
      if (!(await isAnswered(query.call))) break
      limit = query.limit
    }
    if (limit !== null) return limit
  }
  return null
}
