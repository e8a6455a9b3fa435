import fc from 'fast-check'
import { expect } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { NewTrades, Watch } from '#client/watch/watch.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { comparePlaces } from '#domain/eventPlace.ts'
import { placeOfTrade, type Trade } from '#resources/trades.ts'
import { TRADED } from '#test/support/tradeChain.ts'
import { SimulatedClock } from './simulatedClock.ts'
import { TradeService } from './tradeService.ts'

/** Keeps the trades of a token. Where there is a gap, it takes all that there are, and watches anew from there. */
class Keeper {
  readonly #client: Tokenwire
  readonly #service: TradeService
  #watch: Watch
  held: readonly Trade[] = []

  constructor(client: Tokenwire, service: TradeService) {
    this.#client = client
    this.#service = service
    this.#watch = this.#start()
  }

  #start(): Watch {
    this.held = this.#service.chain.trades
    return this.#client.watch(TRADED, () => {}, { onTrades: news => this.#take(news), tradesSince: this.held.at(-1) ?? null })
  }

  close(): void {
    this.#watch.close()
  }

  #take({ trades, gap, replacedFrom }: NewTrades): void {
    if (replacedFrom !== undefined) this.held = this.held.filter(({ blockNumber }) => Number(blockNumber) < Number(replacedFrom))
    for (const trade of trades) {
      const newest = this.held.at(-1)
      if (newest === undefined || comparePlaces(placeOfTrade(trade), placeOfTrade(newest)) > 0) this.held = [...this.held, trade]
      else if (!gap) throw new Error(`${trade.id} after ${newest.id}`)
    }
    if (!gap) return
    this.close()
    this.#watch = this.#start()
  }
}

type Step =
  | { readonly kind: 'commit'; readonly trades: number }
  | { readonly kind: 'reorg'; readonly depth: number; readonly trades: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'cut'; readonly code: number }
  | { readonly kind: 'stall' | 'drain' | 'restart' | 'join' | 'leave' | 'wake' }
  | { readonly kind: 'fault'; readonly rest: TradeService['faults']['rest'] }

const rest = fc.constantFrom<TradeService['faults']['rest']>('fine', 'failing', 'behind')
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('commit' as const), trades: fc.nat({ max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 3 }), trades: fc.nat({ max: 3 }) }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 8, 25, 60, 900, 6_000, 70_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const), code: fc.constantFrom(1006, 1012) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'stall' as const,
        'drain' as const,
        'drain' as const,
        'restart' as const,
        'join' as const,
        'leave' as const,
        'wake' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('fault' as const), rest }),
  },
)

/** The keeper's trades are those of the database after these steps, by simulated time. */
export async function expectFoldedTrades(steps: readonly Step[], seed: number): Promise<void> {
  const random = createRandom(seed).unit
  const clock = new SimulatedClock()
  const service = new TradeService(clock, random)
  const errors: unknown[] = []
  const { fetch, WebSocket } = service
  const client = createTokenwire({ url: 'http://service.test', fetch, WebSocket, clock, random, onError: error => errors.push(error) })
  const keepers = [new Keeper(client, service)]
  for (const one of steps) {
    switch (one.kind) {
      case 'commit':
        service.commit(one.trades)
        break
      case 'reorg':
        service.reorg(one.depth, one.trades)
        break
      case 'pass':
        await clock.advance(one.ms)
        break
      case 'cut':
        service.cut(one.code)
        break
      case 'stall':
      case 'drain':
        for (const socket of service.sockets) socket.isStalled = one.kind === 'stall'
        break
      case 'restart':
        service.restart()
        break
      case 'join':
        keepers.push(new Keeper(client, service))
        break
      case 'leave':
        keepers.shift()?.close()
        break
      case 'wake':
        client.reconnect()
        break
      case 'fault':
        service.faults.rest = one.rest
        break
    }
  }
  service.heal()
  await clock.advance(120_000)
  // Of a keeper that complained.
  expect(errors.filter(error => (error as Error).name !== 'TokenwireError')).toEqual([])
  for (const { held } of keepers) expect(held).toEqual(service.chain.trades)
  client.close()
}
