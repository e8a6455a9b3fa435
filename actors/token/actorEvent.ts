import type { Subscription } from '#actors/subscription.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'

/** A message to a token's actor. Times are monotonic, in ms. */
export type ActorEvent =
  /** A subscribe, perhaps a repeated one. `lastSequence`: the newest sequence that the client says it has; `null`: it has none. */
  | { readonly type: 'joined'; readonly subscription: Subscription; readonly lastSequence: number | null }
  | { readonly type: 'left'; readonly subscription: Subscription }
  | { readonly type: 'committed'; readonly snapshot: TokenSnapshot; readonly completedAtMs: number }
  /** The requested load has ended. `snapshot`: `null` if the token is not indexed. */
  | { readonly type: 'loaded'; readonly snapshot: TokenSnapshot | null; readonly nowMs: number }
  | { readonly type: 'loadFailed'; readonly nowMs: number }
  /** A commit has changed the token but did not carry its state, so the actor's state may be outdated. */
  | { readonly type: 'stale' }
  /** A reorg has undone the token's launch, so the token is no longer indexed. */
  | { readonly type: 'dropped' }
  | { readonly type: 'swept'; readonly nowMs: number }
  /** There are too many actors without subscribers. */
  | { readonly type: 'evicted' }
