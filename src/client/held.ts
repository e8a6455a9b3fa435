import type { Token } from '#domain/token.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import type { WatchedToken } from './watch.ts'

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

/** What is held once something came; `null`: it is no news, from whichever connection or server it comes. */
export function accept(held: Held | null, incoming: Incoming): Held | null {
  const news = 'update' in incoming ? whole(incoming) : alone(incoming, held)
  return isNews(news, held) ? news : null
}

/** A higher sequence is news; of an equal one, the whole state after the token alone. */
export function isNews(news: Held, held: Held | null): boolean {
  const { sequence } = news.state
  if (held === null || sequence !== held.state.sequence) return held === null || sequence > held.state.sequence
  return news.fullSequence === sequence && held.fullSequence !== sequence
}

function whole({ source, update }: Extract<Incoming, { update: TokenUpdate }>): Held {
  const { token, latestTrade, holders, sequence } = update
  return { state: { address: token.address, sequence, token, latestTrade, holders, source }, fullSequence: sequence }
}

function alone({ source, token }: Extract<Incoming, { token: Token }>, held: Held | null): Held {
  const { latestTrade = null, holders = null } = held?.state ?? {}
  return {
    state: { address: token.address, sequence: token.sequence, token, latestTrade, holders, source },
    fullSequence: held?.fullSequence ?? null,
  }
}
