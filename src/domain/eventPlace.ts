/** Where an event is on the chain. Events of a channel are ordered by it. */
export interface EventPlace {
  readonly blockNumber: number
  readonly logIndex: number
}

/** How far a reader of a channel, or of a token's trades, has read. */
export interface ChannelPosition {
  /** The last event that the reader has received or skipped. */
  readonly place: EventPlace
  /** The number of reorgs that the reader has seen. */
  readonly reorgs: number
}

/** After every log index. */
export const LAST_LOG_INDEX = Number.MAX_SAFE_INTEGER

/** Before every event: block 0 has none. */
export const FIRST_PLACE: EventPlace = { blockNumber: 0, logIndex: 0 }

/** Negative: `a` is before `b`. */
export function comparePlaces(a: EventPlace, b: EventPlace): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}

/** After every event of a block. */
export function endOfBlock(blockNumber: number): EventPlace {
  return { blockNumber, logIndex: LAST_LOG_INDEX }
}

/** The place from which a reader continues after a reorg. */
export function placeAfterReorg(place: EventPlace, voidFrom: number | null): EventPlace {
  return voidFrom !== null && place.blockNumber >= voidFrom ? endOfBlock(Math.max(0, voidFrom - 1)) : place
}

/** `456-12`, as the id of a trade. */
export function formatPlace({ blockNumber, logIndex }: EventPlace): string {
  return `${blockNumber}-${logIndex}`
}
