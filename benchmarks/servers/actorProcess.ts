import { IDLE_SWEEPS } from '#actors/token/machine.ts'
import { CountingSubscription } from '#benchmarks/support/countingSubscription.ts'
import { answerCalls } from '#benchmarks/support/worker.ts'
import { blockOf, createTestRegistry } from '#test/support/actors.ts'
import type { ActorCalls } from './actorCalls.ts'
import { feedBlock, feedToken } from './feed.ts'

/** More idle actors than this would be passivated early. */
const MAX_IDLE = 2_000

answerCalls<ActorCalls>({
  measure: async ({ actors }) => {
    // Warm-up: compiles the code and grows the tables.
    await measure(100)
    return measure(actors)
  },
})

async function measure(actors: number) {
  const registry = createTestRegistry({ now: () => performance.now() })
  const subscriptions = Array.from({ length: actors }, () => new CountingSubscription())
  const tokens = subscriptions.map((_, index) => feedToken(index))
  const empty = collected()
  for (const [index, subscription] of subscriptions.entries()) registry.subscribe(tokens[index] ?? feedToken(index), subscription)
  while (registry.health().byState['live'] !== actors) await new Promise(setImmediate)
  const watched = collected()
  registry.dispatch(blockOf(...feedBlock(1, { touched: actors, tokens: actors, size: 'small' })))
  const framed = collected()
  for (const subscription of subscriptions) subscription.newest = null
  const idle = Math.min(actors, MAX_IDLE)
  for (let index = idle; index < actors; index++)
    registry.unsubscribe(tokens[index] ?? feedToken(index), subscriptions[index] ?? new CountingSubscription())
  for (let sweep = 0; sweep < IDLE_SWEEPS; sweep++) registry.sweep()
  if (registry.health().total !== idle) throw new Error(`${registry.health().total} actors are left, not ${idle}`)
  for (let index = 0; index < idle; index++)
    registry.unsubscribe(tokens[index] ?? feedToken(index), subscriptions[index] ?? new CountingSubscription())
  const unwatched = collected()
  for (let sweep = 0; sweep < IDLE_SWEEPS; sweep++) registry.sweep()
  const gone = collected()
  registry.stop()
  return {
    watched: (watched.heap - empty.heap) / actors,
    frame: (framed.heap - watched.heap) / actors,
    frameBytes: (framed.buffers - watched.buffers) / actors,
    idle: (unwatched.heap - empty.heap) / idle,
    passivated: (gone.heap - empty.heap) / actors,
  }
}

function collected() {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return { heap: heapUsed, buffers: arrayBuffers }
}
