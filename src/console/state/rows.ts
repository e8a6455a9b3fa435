import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'

/** Which way a price went, and how often, so that each step can be seen. */
export interface Tick {
  readonly direction: 'up' | 'down' | null
  readonly count: number
}

/** One token as a list shows it. */
export interface Row {
  readonly address: Address
  readonly token: ReadonlySignal<Token>
  readonly tick: ReadonlySignal<Tick>
  /** Takes a state that is not older than the one it has. */
  update(token: Token): void
}

export function createRow(first: Token): Row {
  const token = signal(first)
  const tick: Signal<Tick> = signal({ direction: null, count: 0 })
  return {
    address: first.address,
    token,
    tick,
    update(next) {
      const held = token.peek()
      if (next.sequence < held.sequence) return
      const direction = directionOf(held.market.priceWeth, next.market.priceWeth)
      if (direction !== null) tick.value = { direction, count: tick.peek().count + 1 }
      token.value = next
    },
  }
}

export function directionOf(before: string | null, after: string | null): 'up' | 'down' | null {
  if (before === null || after === null || before === after) return null
  const difference = Number(after) - Number(before)
  return difference > 0 ? 'up' : difference < 0 ? 'down' : null
}
