import type { Subscription } from '#actors/ports.ts'
import type { TokenSnapshot } from '#domain/token.ts'

/** What a token's actor is told. Times are on the monotonic clock in ms. */
export type TokenEvent =
  /** Somebody subscribes, perhaps again, and says which sequence it holds; `null`: none. */
  | { readonly type: 'joined'; readonly subscription: Subscription; readonly held: number | null }
  | { readonly type: 'left'; readonly subscription: Subscription }
  /** A block that changed the token was committed. */
  | { readonly type: 'committed'; readonly snapshot: TokenSnapshot; readonly completedAtMs: number }
  /** The load that was asked for has ended; `null`: the token is not indexed. */
  | { readonly type: 'loaded'; readonly snapshot: TokenSnapshot | null; readonly nowMs: number }
  | { readonly type: 'loadFailed'; readonly nowMs: number }
  /** Updates may have been missed. */
  | { readonly type: 'suspected' }
  /** A reorg took the token's launch off the chain: it is not indexed any more. */
  | { readonly type: 'dropped' }
  /** The sweep came by. */
  | { readonly type: 'swept'; readonly nowMs: number }
  /** There are too many actors that nobody watches. */
  | { readonly type: 'evicted' }
