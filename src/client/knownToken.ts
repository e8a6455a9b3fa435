import type { Token } from '#domain/token.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import type { Source, WatchedToken } from './watch.ts'

export interface KnownToken {
  readonly state: WatchedToken
  /** Sequence of the newest complete state, with trade and holders; `null` before the first one. The client subscribes from it. */
  readonly completeSequence: number | null
}

/** A state as it arrives: complete over a stream, the token alone over REST. */
export type ReceivedState =
  | ({ readonly source: 'webSocket' | 'eventStream' } & Pick<TokenUpdate, 'token' | 'latestTrade' | 'holders'>)
  | { readonly source: 'rest' | 'initial'; readonly token: Token }

/** What is known after a state arrived; `null` when the state is not newer, whichever connection or server sent it. */
export function merge(known: KnownToken | null, received: ReceivedState): KnownToken | null {
  const { source, token } = received
  const { address, sequence } = token
  const isAlone = isTokenAlone(source)
  const { latestTrade = null, holders: largest = null }: Partial<WatchedToken> = (isAlone ? known?.state : received) ?? {}
  // A subscription without holders brings an empty list.
  const holders = largest?.length === 0 && token.market.holderCount > 0 ? null : largest
  const state = { address, sequence, token, latestTrade, holders, source }
  const next = { state, completeSequence: isAlone ? (known?.completeSequence ?? null) : sequence }
  return supersedes(next, known) ? next : null
}

/** The same as if no complete state had arrived: the next one is delivered, also when it is of the same sequence. */
export function incomplete(known: KnownToken | null): KnownToken | null {
  return known && { ...known, completeSequence: null }
}

/** Whether a source brings the token without its newest trade and its holders. */
export function isTokenAlone(source: Source): boolean {
  return source === 'rest' || source === 'initial'
}

/** A higher sequence is newer, and so is a complete state after an incomplete one of the same sequence. */
export function supersedes(next: KnownToken, known: KnownToken | null): boolean {
  const { sequence } = next.state
  const before = known?.state.sequence ?? -1
  return sequence > before || (sequence === before && next.completeSequence === sequence && known?.completeSequence !== sequence)
}
