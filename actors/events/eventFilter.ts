import type { Address } from '#domain/address.ts'
import { getOrInsert } from '#domain/maps.ts'
import { type TradeSide, weiFrom } from '#domain/trade.ts'
import { type ChannelEvent, type CrossedValue, crosses, type GraduationEventStatus, type ValueBound } from '#resources/channelEvent.ts'
import type { EventSubscriber } from './eventMessages.ts'

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

/** The subscribers with the same filter. */
export interface FilterGroup {
  readonly filter: EventFilter
  readonly members: Set<EventSubscriber>
}

/** Finds the filters that an event matches by its token and its wallet, in two look-ups, however many tokens and wallets they name. */
export class FilterIndex {
  readonly #groups = new Map<string, FilterGroup>()
  readonly #byToken = new Map<Address, Set<FilterGroup>>()
  readonly #byWallet = new Map<Address, Set<FilterGroup>>()
  /** Filters that name neither tokens nor wallets. */
  readonly #others = new Set<FilterGroup>()

  groups(): Iterable<FilterGroup> {
    return this.#groups.values()
  }

  add(filter: EventFilter, member: EventSubscriber): void {
    let group = this.#groups.get(filter.key)
    if (group === undefined) {
      group = { filter, members: new Set() }
      this.#groups.set(filter.key, group)
      for (const groups of this.#placesOf(filter)) groups.add(group)
    }
    group.members.add(member)
  }

  remove(filter: EventFilter, member: EventSubscriber): void {
    const group = this.#groups.get(filter.key)
    if (group === undefined || !group.members.delete(member) || group.members.size > 0) return
    this.#groups.delete(filter.key)
    this.#others.delete(group)
    this.#removeFrom(this.#byToken, filter.tokens, group)
    if (filter.tokens === null) this.#removeFrom(this.#byWallet, filter.wallets, group)
  }

  *fitting(event: ChannelEvent): Iterable<FilterGroup> {
    for (const groups of [this.#byToken.get(event.token), this.#byWallet.get(event.wallet), this.#others]) {
      if (groups === undefined) continue
      for (const group of groups) if (group.filter.fits(event)) yield group
    }
  }

  /** A group is listed under each of its tokens or, if its filter names none, under each of its wallets. */
  #placesOf({ tokens, wallets }: EventFilter): readonly Set<FilterGroup>[] {
    if (tokens !== null) return [...tokens].map(token => getOrInsert(this.#byToken, token, () => new Set()))
    if (wallets !== null) return [...wallets].map(wallet => getOrInsert(this.#byWallet, wallet, () => new Set()))
    return [this.#others]
  }

  #removeFrom(index: Map<Address, Set<FilterGroup>>, addresses: ReadonlySet<Address> | null, group: FilterGroup): void {
    for (const address of addresses ?? []) {
      const groups = index.get(address)
      groups?.delete(group)
      if (groups?.size === 0) index.delete(address)
    }
  }
}
