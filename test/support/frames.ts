import { type EncodedMessage, type Frame, SentState, SentStates } from '#actors/token/frame.ts'
import { type ChannelPosition, FIRST_PLACE } from '#domain/eventPlace.ts'
import { encodeUpdate, withTrades } from '#protocol/encodeUpdate.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { tradesSince } from '#resources/trades.ts'

/** A frame that is the message for all receivers. */
export interface PlainFrame extends Frame, EncodedMessage {}

/** A frame of these bytes for all receivers, with and without holders. */
export function frameOf(fields: Pick<PlainFrame, 'token' | 'sequence' | 'completedAtMs' | 'webSocket' | 'eventStream'>): PlainFrame {
  return {
    ...fields,
    position: { place: FIRST_PLACE, reorgs: 0 },
    since() {
      return this
    },
    from() {
      return this
    },
    received: () => new SentState({ place: FIRST_PLACE, reorgs: 0 }, new SentStates()),
    get withoutHolders() {
      return this
    },
  }
}

/** The update that a subscriber gets of a state. @param earlier default: it has just subscribed */
export function updateBytes(snapshot: TokenSnapshot, earlier: ChannelPosition | null = null): Uint8Array {
  return withTrades(encodeUpdate(snapshot).bytes, tradesSince(snapshot.recent, earlier))
}
