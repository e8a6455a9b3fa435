import type { Address } from '#domain/address.ts'
import { FIRST_PLACE } from '#domain/eventPlace.ts'
import { encodeDelta } from '#protocol/encodeDelta.ts'
import { encodeUpdate, type UpdatedState } from '#protocol/encodeUpdate.ts'
import { snapshotWithUsd, type TokenSnapshot } from '#resources/token.ts'
import { updateBytes } from '#test/support/frames.ts'
import { ETH_USD } from './feed.ts'

/** What subscribers were sent before: a state without trades. */
const BEFORE = { place: FIRST_PLACE, reorgs: 0 }

/** The updates of a block as every server sends them, encoded before the measurement. Tokenwire encodes within its measured time. */
export function framesOf(snapshots: readonly TokenSnapshot[]): ReadonlyMap<Address, Uint8Array> {
  return new Map(
    snapshots.map((snapshot): [Address, Uint8Array] => [snapshot.token.address, updateBytes(snapshotWithUsd(snapshot, ETH_USD), BEFORE)]),
  )
}

/** The same for clients of deltas, block by block: a full update of each token, then what has changed since the block before. */
export function deltasInTurn(): typeof framesOf {
  const before = new Map<Address, UpdatedState>()
  return snapshots =>
    new Map(
      [...framesOf(snapshots)].map(([token, full], index): [Address, Uint8Array] => {
        const snapshot = snapshots[index]
        if (snapshot === undefined) throw new RangeError('a frame without its state')
        const { update } = encodeUpdate(snapshotWithUsd(snapshot, ETH_USD))
        const earlier = before.get(token)
        before.set(token, update)
        const { trades } = snapshot.recent
        return [token, (earlier && encodeDelta(earlier, update, { trades, replacedFrom: null })) ?? full]
      }),
    )
}

/** The subscribers of each token, in the simplest form that a server needs. */
export class Rooms<C> {
  readonly #members = new Map<Address, Set<C>>()

  join(token: Address, connection: C): void {
    const members = this.#members.get(token)
    if (members === undefined) this.#members.set(token, new Set([connection]))
    else members.add(connection)
  }

  leave(token: Address, connection: C): void {
    this.#members.get(token)?.delete(connection)
  }

  of(token: Address): Iterable<C> {
    return this.#members.get(token) ?? []
  }
}
