import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { snapshotOf } from '#test/support/snapshots.ts'

/** States of one token, each newer than the previous one; they share what does not change. */
export function growingSnapshot(token: Address, first = 1_795_000_000_000): () => TokenSnapshot {
  const snapshot = snapshotOf(token, first)
  let sequence = first
  return () => ({ ...snapshot, token: { ...snapshot.token, sequence: ++sequence } })
}
