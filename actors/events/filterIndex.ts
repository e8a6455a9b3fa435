import type { Address } from '#domain/address.ts'
import { getOrInsert } from '#domain/getOrInsert.ts'
import type { ChannelEvent } from '#resources/channelEvent.ts'
import type { EventFilter } from './eventFilter.ts'
import type { EventSubscriber } from './eventSubscriber.ts'

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
