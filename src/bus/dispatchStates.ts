import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { readSequences } from '#store/rows/announcement.ts'
import type { BlockConsumer } from './blockFeed.ts'
import type { PendingCommits } from './pendingCommits.ts'

export interface StateReading {
  readonly db: Queryable
  readonly chainId: number
  readonly watched: ReadonlySet<Address>
  readonly consumer: BlockConsumer
  readonly commits: PendingCommits
  isStopped(): boolean
}

/** States per statement. It takes some 30 ms, so that other reads do not wait long for it. */
const MAX_STATES = 200
const MAX_SEQUENCES = 5_000

/** Dispatches the new states of watched tokens that the commits changed. Reads the states that did not come with the announcement. */
export async function dispatchChangedStates(reading: StateReading, changed: ReadonlySet<Address>): Promise<void> {
  const { watched, commits } = reading
  const isWatched = (token: Address) => watched.has(token)
  const moved = [...changed].filter(isWatched)
  const arrived = moved.flatMap(token => commits.states.get(token) ?? [])
  const unread = moved.filter(token => !commits.states.has(token))
  await dispatchStates(reading, unread, await confirmDropped(reading.db, [...commits.dropped].filter(isWatched)), arrived)
}

/** The announced dropped tokens that have no row. The others are indexed again by now, or their announcement was forged. */
async function confirmDropped(db: Queryable, tokens: readonly Address[]): Promise<readonly Address[]> {
  if (tokens.length === 0) return tokens
  const stored = await readSequences(db, tokens)
  return tokens.filter(token => !stored.has(token))
}

/** Compares every watched token's sequence with the database, and dispatches the states with a newer one. */
export async function dispatchMissedStates(reading: StateReading): Promise<void> {
  const { db, watched, consumer } = reading
  for (const tokens of chunksOf([...watched], MAX_SEQUENCES)) {
    // Before the read, so that a state that the consumer gets meanwhile does not look like a lost one.
    const held = new Map(tokens.map(token => [token, consumer.sequence(token)]))
    const stored = await readSequences(db, tokens)
    const moved = tokens.filter(token => (stored.get(token) ?? -1) > (held.get(token) ?? -1))
    const dropped = tokens.filter(token => held.get(token) !== null && !stored.has(token))
    await dispatchStates(reading, moved, dropped)
  }
}

async function dispatchStates(
  reading: StateReading,
  unread: readonly Address[],
  dropped: readonly Address[],
  arrived: readonly TokenSnapshot[] = [],
): Promise<void> {
  const { db, chainId, commits, consumer, watched } = reading
  const { number, hash, timestamp } = commits.newest
  const dispatch = (states: readonly TokenSnapshot[], gone: readonly Address[]) => {
    if (reading.isStopped()) return
    // The last subscriber of a token may have left during the read.
    const tokens = states.filter(({ token }) => watched.has(token.address))
    const stillWatched = gone.filter(token => watched.has(token))
    consumer.dispatch({ number, hash, timestamp, completedAtMs: commits.sinceMs, tokens, unread: [], dropped: stillWatched })
  }
  if (dropped.length + arrived.length > 0) dispatch(arrived, dropped)
  for (const addresses of chunksOf(unread, MAX_STATES)) dispatch(await readSnapshots(db, { chainId, addresses }), [])
}

function* chunksOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
