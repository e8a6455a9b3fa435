import type { ChainHeader } from './parseHeader.ts'
import { inconsistent } from './rpcFault.ts'

/** Refuses headers whose hash is not that of their fields, on a chain where it should be. */
export interface HeaderCheck {
  /** @throws `RpcError` `inconsistent` for an unproven header, once the chain has shown a proven one */
  check(header: ChainHeader): void
  /** Whether the chain has shown a proven header. */
  provesHeaders(): boolean
}

export function createHeaderCheck(): HeaderCheck {
  let proves = false
  return {
    check: ({ number, isProven }) => {
      if (proves && !isProven) throw inconsistent(`the hash of block ${number} is not that of its fields`)
      proves ||= isProven
    },
    provesHeaders: () => proves,
  }
}
