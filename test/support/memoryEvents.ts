import type { Address } from '#domain/address.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { comparePlaces, endOfBlock, FIRST_PLACE, placeAfterReorg } from '#domain/eventPlace.ts'
import {
  type ChannelEvent,
  type ChannelEvents,
  type ChannelEventsQuery,
  CROSSED_VALUES,
  type CrossedValue,
  type EventChannelName,
  MAX_REPLAYED,
  type ValueChange,
} from '#resources/channelEvent.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tokenOf, tradeOf } from './snapshots.ts'

/** The trades of a chain and its reorgs in memory: a model of `readChannelEvents`. On the other channels each stands for an event of its token. */
export class MemoryEvents {
  events: readonly ChannelEvent[] = []
  readonly reorgs: number[] = []
  head = 0
  reads = 0
  /** The symbol of the tokens of launches and graduations. */
  symbol = 'ALP'
  readonly #most: number

  /** @param most how many events are replayed */
  constructor(most = MAX_REPLAYED) {
    this.#most = most
  }

  /** Adds a block, with a trade for each pair of token and maker. */
  commit(...trades: readonly (readonly [token: number, maker: number])[]): void {
    this.head++
    this.events = [...this.events, ...trades.map(([token, maker], index) => tradeEvent(this.head, index * 3 + 1, token, maker))]
  }

  /** Takes the newest blocks off the chain. */
  drop(blocks: number): void {
    const from = Math.max(1, this.head - blocks + 1)
    this.reorgs.push(from)
    this.events = this.events.filter(({ place }) => place.blockNumber < from)
    this.head = from - 1
  }

  readonly read = async ({ channel, after, through, limit }: ChannelEventsQuery): Promise<ChannelEvents> => {
    this.reads++
    const within = this.events.filter(({ place }) => through === null || comparePlaces(place, through) <= 0)
    const unknown = after === null ? [] : this.reorgs.slice(after.reorgs)
    const voidFrom = unknown.length === 0 ? null : Math.min(...unknown)
    const start = after === null ? null : placeAfterReorg(after.place, voidFrom)
    const later = start === null ? [] : within.filter(({ place }) => comparePlaces(place, start) > 0)
    const isTooFar = later.length > this.#most
    return {
      reorgs: this.reorgs.length,
      voidFrom,
      newest: this.head === 0 ? FIRST_PLACE : endOfBlock(this.head),
      isTooFar,
      events: isTooFar ? [] : later.slice(0, limit).map(event => onChannel(event, channel, this.symbol)),
    }
  }
}

function onChannel(event: ChannelEvent, channel: EventChannelName, symbol: string): ChannelEvent {
  if (channel === 'trades') return event
  if (channel === 'crossings') {
    const moved = event.place.blockNumber
    const data = valueChangeOf(event.token, { holders: [String(moved - 1), String(moved)] })
    return { ...event, side: null, amountWei: null, status: null, data }
  }
  const status = channel === 'graduations' ? 'migrated' : null
  return { ...event, side: null, amountWei: null, status, data: tokenOf(event.token, 1_795_000_000_123, { symbol }) }
}

function tradeEvent(block: number, logIndex: number, token: number, maker: number): ChannelEvent {
  const data: Trade = {
    ...tradeOf(addressOf(token)),
    id: `${block}-${logIndex}`,
    maker: addressOf(maker),
    blockNumber: String(block),
    logIndex,
  }
  const { token: address, maker: wallet, side } = data
  return {
    place: { blockNumber: block, logIndex },
    token: address,
    wallet,
    launchpad: 'wow',
    side,
    amountWei: 10n ** 17n,
    status: null,
    data,
  }
}

/** @param moves before and after; the other values are not known */
export function valueChangeOf(
  address: Address,
  moves: Readonly<Partial<Record<CrossedValue, readonly [before: string | null, after: string | null]>>>,
): ValueChange {
  const { symbol, name, decimals, imageUrl, launchpad } = tokenOf(address, 1_795_000_000_123)
  const decimal = (text: string | null) => (text === null ? null : parseDecimal(text))
  const values = CROSSED_VALUES.map(of => {
    const [before, after] = moves[of] ?? [null, null]
    return [of, { before: decimal(before), after: decimal(after) }] as const
  })
  return {
    token: { address, symbol, name, decimals, imageUrl, launchpad },
    timestamp: '2026-11-18T12:00:00.000Z',
    values: Object.fromEntries(values) as ValueChange['values'],
  }
}
