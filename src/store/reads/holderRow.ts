import type { Address } from '#domain/address.ts'
import { percentOf } from '#domain/decimal.ts'
import type { Holder, HolderType } from '#domain/holder.ts'

export interface HolderFacts {
  readonly rank: number
  readonly address: Address
  readonly balance: string
  readonly type: HolderType
  readonly lastChangedBlock: string
}

/** A stored balance as it goes over the wire, with its share of the total supply to four decimals. */
export function toHolder(facts: HolderFacts, totalSupply: bigint): Holder {
  const { rank, address, balance, type, lastChangedBlock } = facts
  return { rank, address, balance, percent: percentOf(BigInt(balance), totalSupply) ?? 0, type, lastChangedBlock }
}
