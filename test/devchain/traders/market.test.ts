import { describe, expect, it } from 'vitest'
import { afterBlock, EMPTY_MARKET, type MarketEvent, type SimulatedMarket } from '#devchain/traders/market.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, toAddress } from '#domain/address.ts'

const address = (number: number): Address => toAddress(`0x${number.toString(16).padStart(40, '0')}`)
const launched = (number: number): MarketEvent => ({
  kind: 'launched',
  token: address(number),
  venue: 'ether',
  quote: address(3),
  curve: address(1_000_000 + number),
  creator: address(1),
})
const WALLETS = new Set(Array.from({ length: 100 }, (_, index) => address(2_000 + index)))

function after(...events: readonly MarketEvent[]): SimulatedMarket {
  return afterBlock(EMPTY_MARKET, events, WALLETS, createRandom(1))
}

describe('afterBlock', () => {
  it('moves a token from the curve to its pool', () => {
    const curve = address(1_000_007)
    expect(after(launched(7)).tokens.get(address(7))).toMatchObject({ phase: 'curve', pool: null })
    expect(after(launched(7), { kind: 'completed', curve }).tokens.get(address(7))?.phase).toBe('complete')
    const graduated = after(launched(7), { kind: 'completed', curve }, { kind: 'graduated', token: address(7), pool: address(9) })
    expect(graduated.tokens.get(address(7))).toMatchObject({ phase: 'pool', pool: address(9) })
  })

  it('knows the first holder although the launch event follows the first buy', () => {
    const holder = address(2_003)
    const market = after({ kind: 'received', token: address(7), holder }, launched(7))
    expect(market.tokens.get(address(7))?.holders).toEqual([holder])
  })

  it('remembers no curves or pools as holders, and no more holders than its limit', () => {
    const received = [...WALLETS, address(9)].map(holder => ({ kind: 'received', token: address(7), holder }) as const)
    const holders = after(launched(7), ...received).tokens.get(address(7))?.holders ?? []
    expect(holders).toHaveLength(24)
    expect(holders.at(-1)).toBe(address(2_099))
  })

  it('ignores events of unknown tokens', () => {
    expect(after({ kind: 'completed', curve: address(5) }, { kind: 'graduated', token: address(5), pool: address(6) })).toEqual(
      EMPTY_MARKET,
    )
  })

  it('removes the tokens with the least heat above its limit', () => {
    const market = after(...Array.from({ length: 400 }, (_, index) => launched(index + 10)))
    expect(market.tokens.size).toBe(150)
    const all = after(...Array.from({ length: 150 }, (_, index) => launched(index + 10)))
    const coldest = (tokens: SimulatedMarket) => Math.min(...[...tokens.tokens.values()].map(token => token.heat))
    expect(coldest(market)).toBeGreaterThan(coldest(all))
  })

  it('ends a burst when its token is no longer traded on the curve', () => {
    const before: SimulatedMarket = { ...after(launched(7)), burst: { token: address(7), blocksLeft: 10 } }
    expect(afterBlock(before, [], WALLETS, createRandom(1)).burst).toEqual({ token: address(7), blocksLeft: 9 })
    const completed: MarketEvent = { kind: 'completed', curve: address(1_000_007) }
    expect(afterBlock(before, [completed], WALLETS, createRandom(1)).burst).toBeNull()
  })
})
