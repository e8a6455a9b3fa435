import type { Subscription } from '#actors/subscription.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'

/** A message to a token's actor. Times are monotonic, in ms. */
export type ActorEvent =
  /** A subscribe, possibly repeated. `lastSequence`: the newest sequence that the client says it has; `null`: none. */
  | { readonly type: 'joined'; readonly subscription: Subscription; readonly lastSequence: number | null }
  | { readonly type: 'left'; readonly subscription: Subscription }
  | { readonly type: 'committed'; readonly snapshot: TokenSnapshot; readonly completedAtMs: number }
  /** The requested load has ended; `null`: the token is not indexed. */
  | { readonly type: 'loaded'; readonly snapshot: TokenSnapshot | null; readonly nowMs: number }
  | { readonly type: 'loadFailed'; readonly nowMs: number }
  /** The token was changed by a commit that did not carry its state: what the actor holds may be outdated. */
  | { readonly type: 'stale' }
  /** A reorg removed the token's launch from the chain: the token is no longer indexed. */
  | { readonly type: 'dropped' }
  | { readonly type: 'swept'; readonly nowMs: number }
  /** There are too many actors without subscribers. */
  | { readonly type: 'evicted' }
