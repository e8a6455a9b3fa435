import { percentOf } from '#domain/decimal.ts'
import type { Holder } from '#domain/holder.ts'

/** A stored balance as it goes over the wire, with its share of the total supply to four decimals. */
export function toHolder(row: Omit<Holder, 'percent'>, totalSupply: bigint): Holder {
  const { rank, address, balance, type, lastChangedBlock } = row
  return { rank, address, balance, percent: percentOf(BigInt(balance), totalSupply) ?? 0, type, lastChangedBlock }
}
