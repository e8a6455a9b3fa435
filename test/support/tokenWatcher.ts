import { isDeepStrictEqual } from 'node:util'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { TokenSnapshot } from '#resources/token.ts'

/** A client that watches every token, and checks that sequences rise. */
export interface TokenWatcher {
  /** The last update of each token. */
  readonly held: ReadonlyMap<Address, TokenSnapshot>
  /** Token and sequence of every update. */
  readonly told: readonly { readonly token: Address; readonly sequence: number }[]
  /** The last block since the client connected; `null`: none. */
  newest(): CommittedBlock | null
  take(block: CommittedBlock): void
  /** Reconnects after a restart of the service. Sequences must continue to rise. */
  reconnect(): void
  /** Sequences that did not rise; empty if all did. */
  readonly violations: readonly string[]
}

/** A repeated update is harmless: an actor forwards only newer ones. */
export function createTokenWatcher(): TokenWatcher {
  let newest: CommittedBlock | null = null
  const held = new Map<Address, TokenSnapshot>()
  const last = new Map<Address, TokenSnapshot>()
  const told: { token: Address; sequence: number }[] = []
  const violations: string[] = []
  return {
    held,
    told,
    violations,
    newest: () => newest,
    take: block => {
      newest = block
      for (const snapshot of block.tokens) {
        const { address, sequence } = snapshot.token
        const before = last.get(address)
        if (before !== undefined && sequence <= before.token.sequence && !isDeepStrictEqual(snapshot, before))
          violations.push(`sequence ${sequence} of ${address} after ${before.token.sequence}`)
        last.set(address, snapshot)
        told.push({ token: address, sequence })
        held.set(address, snapshot)
      }
      for (const address of [...block.unread, ...block.dropped]) held.delete(address)
    },
    reconnect: () => {
      newest = null
      held.clear()
    },
  }
}

/** The state without what it knows of reorgs: one that did not touch the token gives no update of it. */
export function withoutReorgs(state: TokenSnapshot | undefined): TokenSnapshot | undefined {
  return state && { ...state, recent: { ...state.recent, reorgs: 0, voidFrom: [] } }
}
