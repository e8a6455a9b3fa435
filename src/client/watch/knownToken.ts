import type { Token, TokenUpdate } from '#client/generated/types.ts'
import type { WatchedToken } from './watch.ts'

export interface KnownToken {
  readonly state: WatchedToken
  /** Sequence of the newest complete state, with trade and holders; `null` before the first one. The client subscribes from it. */
  readonly completeSequence: number | null
}

/** A state as it arrives: complete over a stream, the token alone over REST. */
export type ReceivedState =
  | ({ readonly source: 'webSocket' | 'eventStream' } & Pick<TokenUpdate, 'token' | 'latestTrade' | 'holders'>)
  | { readonly source: 'rest'; readonly token: Token }
  | { readonly source: 'initial'; readonly token: Token }

/** What is known after a state arrived from any connection or server; `null`: the state brought nothing new. */
export function merge(known: KnownToken | null, received: ReceivedState): KnownToken | null {
  const { source, token } = received
  const { address, sequence } = token
  const held = known?.state
  const isComplete = 'holders' in received
  if (sequence <= ((isComplete ? known?.completeSequence : held?.sequence) ?? -1)) return null
  const { latestTrade = null, holders: largest = null }: Partial<WatchedToken> = (isComplete ? received : held) ?? {}
  // A subscription without holders brings an empty list.
  const holders = largest?.length === 0 && token.market.holderCount > 0 ? null : largest
  const newest = held !== undefined && held.sequence > sequence ? held : { address, sequence, token, source }
  return {
    state: { ...newest, latestTrade, holders },
    completeSequence: isComplete ? sequence : (known?.completeSequence ?? null),
  }
}

/** `known` as if no complete state had arrived: the next complete one is delivered even if its sequence is the same. */
export function incomplete(known: KnownToken | null): KnownToken | null {
  return known && { ...known, completeSequence: null }
}

/** A higher sequence is newer, and so is a complete state after an incomplete one of the same sequence. */
export function supersedes({ state: { sequence }, completeSequence }: KnownToken, known: KnownToken | null): boolean {
  const before = known?.state.sequence ?? -1
  return sequence > before || (sequence === before && completeSequence === sequence && known?.completeSequence !== sequence)
}
