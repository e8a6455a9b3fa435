import type { Token, Trade } from '#client/generated/types.ts'
import type { Address } from '#domain/address.ts'

/** Most trades that are kept, and most events of the other kinds together. */
export const MAX_EVENTS = 12

/** Something that happened to a token. */
export interface StripEvent {
  readonly kind: 'launch' | 'graduation' | 'buy' | 'sell'
  readonly key: string
  readonly token: Address
  /** `null`: not known. */
  readonly block: number | null
  readonly time: string
  /** The value of a trade; `null` for other events. */
  readonly value: { readonly usd: string | null; readonly weth: string | null } | null
}

/**
 * The events for the given number of places, newest first. Half of the places are for trades, which are by far the most, and half for
 * the other kinds. Either half may use what the other leaves free.
 */
export function eventsFor(places: number, events: readonly StripEvent[]): readonly StripEvent[] {
  const trades = events.filter(isTrade)
  const others = events.filter(event => !isTrade(event)).slice(0, Math.max(Math.ceil(places / 2), places - trades.length))
  return newestFirst([...trades.slice(0, places - others.length), ...others])
}

export function eventOfTrade({ id, token, side, blockNumber, timestamp, valueUsd, amountWeth }: Trade): StripEvent {
  return { kind: side, key: id, token, block: Number(blockNumber), time: timestamp, value: { usd: valueUsd, weth: amountWeth } }
}

export function eventOfLaunch({ address, createdAt, createdBlock }: Token): StripEvent {
  return { kind: 'launch', key: `launch ${address}`, token: address, block: Number(createdBlock), time: createdAt, value: null }
}

/** @param block - of the graduation; `null`: not known */
export function eventOfGraduation({ address, graduation, updatedAt }: Token, block: number | null): StripEvent {
  const time = graduation.migratedAt ?? graduation.completedAt ?? updatedAt
  return { kind: 'graduation', key: `graduation ${address}`, token: address, block, time, value: null }
}

const isTrade = ({ kind }: StripEvent) => kind === 'buy' || kind === 'sell'

const newestFirst = (events: readonly StripEvent[]) => events.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time))

/** The first event of each key, newest first. Events of the same time keep their order. */
export function newestOfEach(events: readonly StripEvent[]): readonly StripEvent[] {
  const byKey = new Map<string, StripEvent>()
  for (const event of events) if (!byKey.has(event.key)) byKey.set(event.key, event)
  const all = newestFirst([...byKey.values()])
  return [...all.filter(isTrade).slice(0, MAX_EVENTS), ...all.filter(event => !isTrade(event)).slice(0, MAX_EVENTS)]
}
