import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ListRow, Token } from '#client/generated/types.ts'
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
  /** Whether its values come with a list that the service sends. */
  readonly isListed: Signal<boolean>
  /** Takes a state unless it is older than the current one. */
  update(token: Token): void
  /** Takes the values that a list has, in the same way. */
  list(row: ListRow): void
}

export function createRow(first: Token): Row {
  const token = signal(first)
  const priceMove: Signal<PriceMove> = signal({ direction: null, count: 0 })
  function update(next: Token): void {
    const held = token.peek()
    if (next.sequence < held.sequence) return
    const direction = directionOf(held.market.priceWeth, next.market.priceWeth)
    if (direction !== null) priceMove.value = { direction, count: priceMove.peek().count + 1 }
    token.value = next
  }
  return {
    address: first.address,
    token,
    priceMove,
    isListed: signal(false),
    update,
    list: row => update(withListRow(token.peek(), row)),
  }
}

/** The token with the values of a list's row, which has those that the table shows. */
function withListRow(token: Token, row: ListRow): Token {
  const { market, graduation } = token
  const { priceWeth, priceUsd, marketCapWeth, marketCapUsd, liquidityWeth } = row
  return {
    ...token,
    sequence: row.sequence,
    graduation: { ...graduation, status: row.status, percent: row.percent },
    market: {
      ...market,
      priceWeth,
      priceUsd,
      marketCapWeth,
      marketCapUsd,
      liquidityWeth,
      priceChange: { ...market.priceChange, m5: row.priceChange5m, h1: row.priceChange1h, h24: row.priceChange24h },
      volumeWeth: { ...market.volumeWeth, h24: row.volume24h ?? market.volumeWeth.h24 },
      trades: { ...market.trades, h24: { ...market.trades.h24, buys: row.buys24h, sells: row.trades24h - row.buys24h } },
      holderCount: row.holders,
      lastTradeAt: row.lastTradeAt,
    },
  }
}

export function directionOf(before: string | null, after: string | null): 'up' | 'down' | null {
  if (before === null || after === null || before === after) return null
  const difference = Number(after) - Number(before)
  return difference > 0 ? 'up' : difference < 0 ? 'down' : null
}
