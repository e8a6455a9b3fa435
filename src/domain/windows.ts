import type { Address, Hex } from './address.ts'
import type { Decimal } from './decimal.ts'
import type { TradeSide } from './trade.ts'

export type WindowName = keyof PerWindow<unknown>

/** Lengths in seconds. A window holds the trades after its start: `timestamp > now - length`. */
export const WINDOW_SECONDS: PerWindow<number> = { m5: 300, h1: 3_600, h6: 21_600, h24: 86_400 }

export const WINDOW_NAMES: readonly WindowName[] = ['m5', 'h1', 'h6', 'h24']

/** Sums over trades. */
export interface TradeSums {
  readonly volumeWei: bigint
  readonly buyVolumeWei: bigint
  readonly buys: number
  readonly sells: number
}

/** A maker counts once per side, from its first trade of the window until its last one leaves. */
export interface WindowTotals extends TradeSums {
  readonly buyers: number
  readonly sellers: number
}

/** When makers last bought and last sold a token, in Unix seconds. */
export type LastTrades = Readonly<Record<TradeSide, ReadonlyMap<Address, number>>>

/** How a window changes when it moves from the time of its totals to now. */
export interface WindowAging {
  /** The trades that were in the window and no longer are. */
  readonly leaving: TradeSums
  /** The oldest trade that is still in the window; `null`: none. */
  readonly oldestAt: number | null
  /** The last trade before the window with a price; `null`: there is none. */
  readonly reference: WindowReference | null
}

/** The market's price after a trade. */
export interface WindowReference {
  readonly priceWeth: Decimal
  readonly timestamp: number
  readonly pool: Hex
}

const EMPTY_SUMS: TradeSums = { volumeWei: 0n, buyVolumeWei: 0n, buys: 0, sells: 0 }

export const EMPTY_AGING: WindowAging = { leaving: EMPTY_SUMS, oldestAt: null, reference: null }

export const NO_LAST_TRADES: LastTrades = { buy: new Map(), sell: new Map() }

/** A value for each window. */
export function perWindow<T>(value: (name: WindowName) => T): PerWindow<T> {
  return { m5: value('m5'), h1: value('h1'), h6: value('h6'), h24: value('h24') }
}

export interface RolledWindows {
  readonly windows: PerWindow<WindowTotals>
  readonly reference: PerWindow<WindowReference | null>
  /** The first Unix second at which a trade leaves a window; `null`: all are empty. */
  readonly windowsExpireAt: number | null
}

interface WindowTrade {
  readonly pool: Hex
  readonly timestamp: number
  readonly side: TradeSide
  readonly maker: Address
  readonly amountWei: bigint | null
  readonly priceAfterWeth: Decimal | null
}

/** A token's windows as they are stored, and the Unix second at which they end. */
export interface StoredWindows {
  readonly totals: PerWindow<WindowTotals>
  readonly at: number
}

/** The facts of stored trades that are needed to move the windows. */
export interface StoredTrades {
  readonly aging: PerWindow<WindowAging>
  /** Has at least the makers of new trades, and the makers whose last trade has left a window. */
  readonly lastTrades: LastTrades
}

/**
 * Moves a token's windows forward to `now` (Unix seconds): their totals, less the stored trades that have left, plus the new trades.
 *
 * @param newTrades not yet stored, in order, none later than `now`
 */
export function rollWindows(
  { totals, at }: StoredWindows,
  { aging, lastTrades }: StoredTrades,
  newTrades: readonly WindowTrade[],
  now: number,
): RolledWindows {
  const added = newTrades.reduce(addTrade, EMPTY_SUMS)
  const aged = perWindow(name => ageWindow(aging[name], newTrades, { after: Number.NEGATIVE_INFINITY, start: now - WINDOW_SECONDS[name] }))
  const expiries = WINDOW_NAMES.map(name => (aged[name].oldestAt ?? Number.POSITIVE_INFINITY) + WINDOW_SECONDS[name])
  const soonest = Math.min(...expiries)
  const lastNow = addLastTrades(lastTrades, newTrades)
  return {
    windows: perWindow(name => {
      const { leaving } = aged[name]
      const was = totals[name]
      const comeAndGone = (side: TradeSide) =>
        countAfter(lastNow[side], now - WINDOW_SECONDS[name]) - countAfter(lastTrades[side], at - WINDOW_SECONDS[name])
      return {
        volumeWei: was.volumeWei + added.volumeWei - leaving.volumeWei,
        buyVolumeWei: was.buyVolumeWei + added.buyVolumeWei - leaving.buyVolumeWei,
        buys: was.buys + added.buys - leaving.buys,
        sells: was.sells + added.sells - leaving.sells,
        buyers: was.buyers + comeAndGone('buy'),
        sellers: was.sellers + comeAndGone('sell'),
      }
    }),
    reference: perWindow(name => aged[name].reference),
    windowsExpireAt: soonest === Number.POSITIVE_INFINITY ? null : soonest,
  }
}

/** Adds later trades: of each maker and side the trade of the latest time counts. The times of blocks may fall. */
export function addLastTrades(lastTrades: LastTrades, trades: readonly Pick<WindowTrade, 'side' | 'maker' | 'timestamp'>[]): LastTrades {
  if (trades.length === 0) return lastTrades
  const added = { buy: new Map(lastTrades.buy), sell: new Map(lastTrades.sell) }
  for (const { side, maker, timestamp } of trades) added[side].set(maker, Math.max(added[side].get(maker) ?? timestamp, timestamp))
  return added
}

function countAfter(times: ReadonlyMap<Address, number>, start: number): number {
  let count = 0
  for (const time of times.values()) if (time > start) count++
  return count
}

/**
 * Takes later trades into a window's aging. The statement of `loadAging` computes the same from stored trades.
 *
 * @param trades in order, of later blocks than the trades that the aging covers
 * @param moved `start` is the window's start now; the window's totals hold the trades after `after`
 */
export function ageWindow(
  aging: WindowAging,
  trades: readonly WindowTrade[],
  { after, start }: { readonly after: number; readonly start: number },
): WindowAging {
  let { leaving, oldestAt, reference } = aging
  for (const trade of trades) {
    if (trade.timestamp > start) {
      oldestAt = Math.min(oldestAt ?? trade.timestamp, trade.timestamp)
      continue
    }
    const { priceAfterWeth: priceWeth, timestamp, pool } = trade
    if (priceWeth !== null && timestamp >= (reference?.timestamp ?? timestamp)) reference = { priceWeth, timestamp, pool }
    if (trade.timestamp > after) leaving = addTrade(leaving, trade)
  }
  return { leaving, oldestAt, reference }
}

function addTrade({ volumeWei, buyVolumeWei, buys, sells }: TradeSums, { amountWei, side }: WindowTrade): TradeSums {
  const wei = amountWei ?? 0n
  return side === 'buy'
    ? { volumeWei: volumeWei + wei, buyVolumeWei: buyVolumeWei + wei, buys: buys + 1, sells }
    : { volumeWei: volumeWei + wei, buyVolumeWei, buys, sells: sells + 1 }
}

/** For example `volumeM5`. */
type WindowField<Name extends string> = `${Name}${Uppercase<WindowName>}`

function windowField<const Name extends string>(name: Name, window: WindowName): WindowField<Name> {
  return `${name}${window.toUpperCase() as Uppercase<WindowName>}`
}

export const WINDOW_FIELDS = perWindow(window => ({
  volume: windowField('volume', window),
  buyVolume: windowField('buyVolume', window),
  buys: windowField('buys', window),
  sells: windowField('sells', window),
  buyers: windowField('buyers', window),
  sellers: windowField('sellers', window),
  referencePrice: windowField('referencePrice', window),
  priceChange: windowField('priceChange', window),
}))

/** Fields such as `volumeM5` to `volumeH24`, each with a value of its own. */
export function windowFields<const Name extends string, T>(name: Name, value: () => T): Record<WindowField<Name>, T> {
  return Object.fromEntries(WINDOW_NAMES.map(window => [windowField(name, window), value()])) as Record<WindowField<Name>, T>
}

/** The windows of leaders over all tokens. */
export const LEADER_WINDOWS = ['24h', '7d', '30d', 'all'] as const

export type LeaderWindow = (typeof LEADER_WINDOWS)[number]

const DAY_SECONDS = 86_400

/** Lengths in seconds. A window holds the trades after its start: `timestamp > now - length`. `null`: it has no start. */
export const LEADER_WINDOW_SECONDS: Readonly<Record<LeaderWindow, number | null>> = {
  '24h': DAY_SECONDS,
  '7d': 7 * DAY_SECONDS,
  '30d': 30 * DAY_SECONDS,
  all: null,
}

/** One value per rolling window, which ends at the timestamp of the newest indexed block. */
export interface PerWindow<T> {
  readonly m5: T
  readonly h1: T
  readonly h6: T
  readonly h24: T
}
