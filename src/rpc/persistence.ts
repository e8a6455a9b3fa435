import type { RpcFault } from './rpcFault.ts'

/** How long calls wait for this provider. */
export interface Persistence {
  /** Whether another provider can be asked now: then nothing waits for this one. */
  readonly hasAnother: () => boolean
  /** After a request was lost, and so many answers are kept: waits, and says whether to send it again. */
  readonly sendAgain: (fault: RpcFault, kept: number) => Promise<boolean>
  /** Calls were answered by a request of that time, and the answers are kept. */
  readonly answered: (sentAtMs: number) => void
  /** For the answer to one request, if that is less than usual. */
  readonly timeoutMs?: number
}
