import type { Address } from '#domain/address.ts'
import type { Row } from './rows.ts'

/** How many places of the list would show another row if it had this order now. */
export function movedPlaces(shown: readonly Row[], order: readonly Address[]): number {
  return order.filter((address, place) => shown[place]?.address !== address).length
}

/**
 * The rows with the first page in a new order. Rows of further pages follow in the order that they have, together with rows that fell out
 * of the first page. Without further pages, rows that fell out are gone.
 */
export function inOrder(
  shown: readonly Row[],
  order: readonly Address[],
  rowOf: (address: Address) => Row | null,
  page: number,
): readonly Row[] {
  const first = order.flatMap(address => rowOf(address) ?? [])
  const isFirst = new Set(order)
  return shown.length > page ? [...first, ...shown.filter(({ address }) => !isFirst.has(address))] : first
}
