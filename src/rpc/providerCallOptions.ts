import type { SmallerQuery } from './exceededLimit.ts'
import type { RpcFault } from './rpcFault.ts'

/** What the caller of a provider decides about a request and learns of it. By default a lost request is not sent again. */
export interface ProviderCallOptions {
  /** Whether another provider can be asked now. Then these calls don't wait while this one asks for silence. */
  readonly hasAnother?: () => boolean
  /** Called after a request was lost, with the number of calls that are answered so far. Waits, and says whether to send it again. */
  readonly sendAgain?: (fault: RpcFault, answered: number) => Promise<boolean>
  /** Called when calls were answered, with the time at which their request was sent. */
  readonly onAnswered?: (sentAtMs: number) => void
  /**
   * Smaller forms of the first call, a log query, as `exceededLimit` takes them: when it has no answer while one of these is answered, its
   * fault is `too-large`. Left out: no call is too large.
   */
  readonly smaller?: readonly (readonly SmallerQuery[])[]
  /** The time limit of one request, if it is shorter than usual. */
  readonly timeoutMs?: number
}
