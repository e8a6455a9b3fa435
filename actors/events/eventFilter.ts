import type { Address } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import { weiFrom } from '#domain/tradeSize.ts'
import type { ChannelEvent, GraduationEventStatus } from '#resources/channelEvent.ts'
import { type CrossedValue, crosses, type ValueBound } from '#resources/crossings.ts'

/** The filters of a subscription. An event has to match all that are given, and one entry of each list. */
export interface EventFilters {
  readonly tokens?: readonly Address[]
  /** The makers of trades, or the creators of tokens. */
  readonly wallets?: readonly Address[]
  readonly launchpads?: readonly string[]
  readonly side?: TradeSide
  /** A plain decimal. Trades whose amount in WETH is not known do not match. */
  readonly minWeth?: string
  /** The statuses that graduations reach. */
  readonly status?: readonly GraduationEventStatus[]
  /** The bound that a value has to cross, on the channel `crossings`. */
  readonly bound?: ValueBound
}

/** A subscription's filters in a form that is quick to test. */
export class EventFilter {
  /** A text that is equal for filters that let the same events through. */
  readonly key: string
  readonly tokens: ReadonlySet<Address> | null
  readonly wallets: ReadonlySet<Address> | null
  readonly #launchpads: ReadonlySet<string> | null
  readonly #side: TradeSide | null
  readonly #minWei: bigint | null
  readonly #status: ReadonlySet<GraduationEventStatus> | null
  readonly #bound: ValueBound | null

  constructor({ tokens, wallets, launchpads, side, minWeth, status, bound }: EventFilters) {
    this.tokens = setOf(tokens)
    this.wallets = setOf(wallets)
    this.#launchpads = setOf(launchpads)
    this.#side = side ?? null
    this.#minWei = minWeth === undefined ? null : weiFrom(minWeth)
    this.#status = setOf(status)
    this.#bound = bound ?? null
    const lists = [this.tokens, this.wallets, this.#launchpads, this.#status].map(set => (set === null ? null : [...set].toSorted()))
    const crossed = bound === undefined ? [] : [bound.of, bound.side, bound.value.toString()]
    this.key = JSON.stringify([...lists, this.#side, this.#minWei?.toString() ?? null, ...crossed])
  }

  /** The value whose crossings are told; `null` on other channels than `crossings`. */
  get of(): CrossedValue | null {
    return this.#bound?.of ?? null
  }

  fits({ token, wallet, launchpad, side, amountWei, status, data }: ChannelEvent): boolean {
    return (
      this.tokens?.has(token) !== false &&
      this.wallets?.has(wallet) !== false &&
      this.#launchpads?.has(launchpad) !== false &&
      (this.#status === null || (status !== null && this.#status.has(status))) &&
      (this.#side === null || side === this.#side) &&
      (this.#minWei === null || (amountWei !== null && amountWei >= this.#minWei)) &&
      (this.#bound === null || ('values' in data && crosses(this.#bound, data.values[this.#bound.of])))
    )
  }
}

function setOf<Item>(items: readonly Item[] | undefined): ReadonlySet<Item> | null {
  return items === undefined ? null : new Set(items)
}
