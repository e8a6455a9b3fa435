import type { Token } from '#domain/token.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import type { Source, WatchedToken } from './watch.ts'

/** What is known of one token. */
export interface Held {
  readonly state: WatchedToken
  /** Of the newest state that came in full, with its trade and holders; `null`: none did. What the server is told is held. */
  readonly fullSequence: number | null
}

/** What came: in full from a stream, or the token alone. */
export type Incoming =
  | { readonly source: 'webSocket' | 'eventStream'; readonly update: TokenUpdate }
  | { readonly source: 'rest' | 'initial'; readonly token: Token }

/**
 * What is held once something came; `null`: it is no news. A higher sequence is news; of an equal one, the full state after the token alone.
 * Everything else is late, from whichever connection or server it comes.
 */
export function accept(held: Held | null, incoming: Incoming): Held | null {
  const { source } = incoming
  if ('update' in incoming) {
    const { token, latestTrade, holders, sequence } = incoming.update
    const isNews = held === null || sequence > held.state.sequence || (sequence === held.state.sequence && held.fullSequence !== sequence)
    return isNews ? { state: { address: token.address, sequence, token, latestTrade, holders, source }, fullSequence: sequence } : null
  }
  const { token } = incoming
  if (held !== null && token.sequence <= held.state.sequence) return null
  return { state: partial(token, source, held), fullSequence: held?.fullSequence ?? null }
}

function partial(token: Token, source: Source, held: Held | null): WatchedToken {
  const { latestTrade, holders } = held?.state ?? { latestTrade: null, holders: null }
  return { address: token.address, sequence: token.sequence, token, latestTrade, holders, source }
}
