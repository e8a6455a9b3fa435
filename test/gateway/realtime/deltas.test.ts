import process from 'node:process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { blockOf, createTestRegistry } from '#test/support/actors.ts'
import { ChangingToken } from '#test/support/changingToken.ts'
import { TRADED } from '#test/support/tradeChain.ts'
import { DeltaClient, PRICES, TokenStates } from './deltaClient.ts'
import { client, commitStep, readingStep, reorgStep, StallingClients } from './stallingClient.ts'

/*
 * A client that applies deltas holds the state of the newest sequence that it was sent, byte for byte: however slowly it reads, and through
 * cuts, gateways that lag, restarts, reorgs, prices of ether, truncated updates and changes of its subscription.
 */

const join = { do: fc.constant('join' as const), client, holders: fc.boolean(), deltas: fc.boolean(), isFresh: fc.boolean() }
const step = fc.oneof(
  { weight: 10, arbitrary: commitStep },
  { weight: 2, arbitrary: reorgStep },
  { weight: 8, arbitrary: readingStep },
  { weight: 2, arbitrary: fc.record(join) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price' as const), ethUsd: fc.constantFrom(...PRICES) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart' as const, 'drop' as const, 'lag' as const) }) },
  { weight: 14, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Number of runs, and the seed of the first. */
const RUNS = Number(process.env['DELTA_RUNS'] ?? 60)

it('makes of deltas and full updates the state that the database has', async () => {
  let deltas = 0
  const run = async (steps: readonly Step[], seed: number) => {
    const chain = new ChangingToken(seed)
    const truth = new TokenStates()
    const start = () => createTestRegistry({ load: async () => [chain.snapshot], ethUsd: () => truth.ethUsd })
    chain.commit(1)
    truth.note(chain.snapshot)
    const clients = await StallingClients.join(start, connect => new DeltaClient(connect, truth))
    const commit = () => {
      truth.note(chain.snapshot)
      clients.dispatch(blockOf(chain.snapshot))
    }
    const perform = (one: Step): Promise<void> | void => {
      switch (one.do) {
        case 'commit':
          chain.commit(one.trades)
          return commit()
        case 'reorg':
          chain.reorg(one.depth, one.trades)
          return commit()
        case 'join': {
          const joining = clients.all[one.client]
          return joining?.join(clients.gatewayOf(joining), one)
        }
        case 'price':
          truth.ethUsd = one.ethUsd
          return
        case 'drop':
          return clients.dispatch({ ...blockOf(), dropped: [TRADED] })
        default:
          return 'client' in one ? clients.perform(one.do, one.client) : clients.share(one.do)
      }
    }
    for (const one of steps) await perform(one)
    chain.commit(1)
    commit()
    for await (const each of clients.drained()) {
      expect(each.state?.sequence).toBe(chain.snapshot.token.sequence)
      deltas += each.deltas
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), fc.nat(), run), { numRuns: RUNS })
  // It would prove nothing if the clients had been sent full updates only.
  expect(deltas).toBeGreaterThan(RUNS * 5)
})
