import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Registry } from '#actors/registry.ts'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import type { Trade } from '#resources/trades.ts'
import { blockOf, createTestRegistry } from '#test/support/actors.ts'
import { TRADED, TradeChain } from '#test/support/tradeChain.ts'
import { TradeFold } from '#test/support/tradeFold.ts'
import { client, commitStep, readingStep, reorgStep, StallingClient, StallingClients } from './stallingClient.ts'

/*
 * A client that folds the updates of a token, and reads over REST where they say so, holds the trades that REST has: however slowly it
 * reads, however often its connection is cut and resumed, and through restarts and reorgs.
 */

class Client extends StallingClient<TokenUpdate> {
  readonly fold = new TradeFold()
  #sequence: number | null = null
  /** Updates that wait for the answer of a read. */
  #waiting: TokenUpdate[] = []
  #answer: readonly Trade[] | null = null

  join(registry: Registry): void {
    this.subscription.asked(undefined, false)
    registry.subscribe(TRADED, this.subscription, this.#sequence)
  }

  startReading(chain: TradeChain): void {
    if (this.fold.isBehind) this.#answer ??= chain.trades
  }

  endReading(): void {
    if (this.#answer === null) return
    this.fold.read(this.#answer)
    this.#answer = null
    for (const update of this.#waiting.splice(0)) this.fold.apply(update)
  }

  receive(update: TokenUpdate): void {
    this.#sequence = update.sequence
    if (this.#answer === null) this.fold.apply(update)
    else this.#waiting.push(update)
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: commitStep },
  { weight: 2, arbitrary: reorgStep },
  { weight: 8, arbitrary: readingStep },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('startReading' as const, 'endReading' as const), client }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart' as const, 'lag' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
)

it('gives a client that folds updates the trades of the database', async () => {
  const run = async (steps: readonly (typeof step extends fc.Arbitrary<infer One> ? One : never)[]) => {
    const chain = new TradeChain()
    chain.commit(1)
    const start = () => createTestRegistry({ load: async () => [chain.snapshot] })
    const clients = await StallingClients.join(start, connect => new Client(connect))
    for (const one of steps) {
      if (one.do === 'commit' || one.do === 'reorg') {
        if (one.do === 'commit') chain.commit(one.trades)
        else chain.reorg(one.depth, one.trades)
        clients.dispatch(blockOf(chain.snapshot))
      } else if (one.do === 'startReading' || one.do === 'endReading') clients.all[one.client]?.[one.do](chain)
      else if ('client' in one) await clients.perform(one.do, one.client)
      else await clients.share(one.do)
    }
    for await (const each of clients.drained()) {
      each.endReading()
      each.startReading(chain)
      each.endReading()
      expect(each.fold.held).toEqual(chain.trades)
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), run), { numRuns: 400 })
})
