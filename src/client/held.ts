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
  const { source } = incoming
  const isWhole = 'update' in incoming
  const { token } = isWhole ? incoming.update : incoming
  const { address, sequence } = token
  const { latestTrade = null, holders = null } = (isWhole ? incoming.update : held?.state) ?? {}
  const news = {
    state: { address, sequence, token, latestTrade, holders, source },
    fullSequence: isWhole ? sequence : (held?.fullSequence ?? null),
  }
  return isNews(news, held) ? news : null
}

/** A higher sequence is news; of an equal one, the whole state after the token alone. */
export function isNews(news: Held, held: Held | null): boolean {
  const { sequence } = news.state
  const before = held?.state.sequence ?? -1
  return sequence > before || (sequence === before && news.fullSequence === sequence && held?.fullSequence !== sequence)
}
