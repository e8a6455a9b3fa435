import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Token } from '#client/generated/types.ts'
import type { Address } from '#domain/address.ts'

/** Direction of the last price change and the number of changes, so that each one starts an animation. */
export interface PriceMove {
  readonly direction: 'up' | 'down' | null
  readonly count: number
}

/** One token of a list. */
export interface Row {
  readonly address: Address
  readonly token: ReadonlySignal<Token>
  readonly priceMove: ReadonlySignal<PriceMove>
  /** Takes a state unless it is older than the current one. */
  update(token: Token): void
}

export function createRow(first: Token): Row {
  const token = signal(first)
  const priceMove: Signal<PriceMove> = signal({ direction: null, count: 0 })
  return {
    address: first.address,
    token,
    priceMove,
    update(next) {
      const held = token.peek()
      if (next.sequence < held.sequence) return
      const direction = directionOf(held.market.priceWeth, next.market.priceWeth)
      if (direction !== null) priceMove.value = { direction, count: priceMove.peek().count + 1 }
      token.value = next
    },
  }
}

export function directionOf(before: string | null, after: string | null): 'up' | 'down' | null {
  if (before === null || after === null || before === after) return null
  const difference = Number(after) - Number(before)
  return difference > 0 ? 'up' : difference < 0 ? 'down' : null
}
