import { createRandom } from '#devchain/traders/random.ts'
import type { Holder } from '#resources/holders.ts'
import type { Token, TokenSnapshot } from '#resources/token.ts'
import { addressOf, holdersOf } from './snapshots.ts'
import { TradeChain } from './tradeChain.ts'

/** A token whose commits change some of its fields and holders, each state drawn from a seed. Some states don't fit into a message. */
export class ChangingToken extends TradeChain {
  readonly #seed: number
  #changed: Partial<Token> = {}
  #holders: readonly Holder[] = holdersOf(20)

  constructor(seed: number) {
    super()
    this.#seed = seed
  }

  override get snapshot(): TokenSnapshot {
    const plain = super.snapshot
    return { ...plain, token: { ...plain.token, ...this.#changed }, holders: this.#holders }
  }

  override commit(trades: number): void {
    super.commit(trades)
    const { token } = super.snapshot
    const draw = createRandom(this.#seed + token.sequence).unit
    const below = (most: number) => Math.floor(draw() * most)
    const { market, pool, graduation } = token
    this.#changed = {
      description: below(6) === 0 ? '"'.repeat(below(9_000)) : ([null, 'short', '😀'][below(3)] ?? null),
      market: {
        ...market,
        priceWeth: below(3) === 0 ? null : `0.0${below(1_000)}1`,
        volumeWeth: { ...market.volumeWeth, m5: String(below(4)) },
        trades: { ...market.trades, h1: { ...market.trades.h1, buys: below(4) } },
      },
      pool: below(5) === 0 || pool === null ? null : { ...pool, reserveQuote: String(below(100)) },
      graduation: { ...graduation, percent: below(10) },
    }
    const holders = holdersOf(below(4) === 0 ? below(21) : 20).map((holder, index) =>
      below(8) === 0 ? { ...holder, address: addressOf(0x1000 + index + 20 * below(3)), balance: String(below(9)) } : holder,
    )
    // Some overtake all others.
    const overtaking = holders.splice(below(holders.length + 1), below(3))
    this.#holders = [...overtaking, ...holders].map((holder, index) => ({ ...holder, rank: index + 1 }))
  }
}
