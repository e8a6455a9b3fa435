import assert from 'node:assert/strict'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { blockOf, createTestRegistry } from '#test/support/actors.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { CountingSubscription } from './countingSubscription.ts'
import { growingSnapshot } from './growingSnapshot.ts'
import type { MicroBenchmark, MicroTask } from './microBenchmark.ts'

const WATCHED = 10
const ALONE = '10 tokens, all watched'
const BATCH = 5

export const registryDispatchBenchmark: MicroBenchmark = {
  name: 'registry dispatch',
  about: 'dispatches a committed block to the actors; each watched token is encoded for one subscriber',
  tasks: () => [
    dispatch(WATCHED, WATCHED),
    { ...dispatch(1_000, WATCHED), base: ALONE },
    { ...dispatch(1_000, 1_000), base: ALONE },
    dispatch(1, 1, 1_000),
  ],
}

/** The watched tokens are spread over the block, as in production. */
function dispatch(touched: number, watched: number, subscribers = 1): MicroTask {
  const registry = createTestRegistry()
  const spacing = touched / watched
  const tokens = Array.from({ length: touched }, (_, index) => growingSnapshot(addressOf(index + 1)))
  const subscriptions = Array.from({ length: watched * subscribers }, (_, index) => {
    const subscription = new CountingSubscription()
    registry.subscribe(addressOf(Math.floor(index / subscribers) * spacing + 1), subscription)
    return subscription
  })
  const unwatched = tokens.map(next => next())
  const nextBlock = () => blockOf(...tokens.map((next, index) => (index % spacing === 0 ? next() : (unwatched[index] ?? next()))))
  const blocks: CommittedBlock[] = []
  registry.dispatch(nextBlock())
  return {
    name: nameOf(touched, watched, subscribers),
    batch: BATCH,
    check: () => {
      const block = nextBlock()
      const before = subscriptions.map(({ updates }) => updates)
      registry.dispatch(block)
      assert.equal(registry.health().total, watched)
      for (const [index, { updates, newest }] of subscriptions.entries()) {
        assert.equal(updates, (before[index] ?? 0) + 1)
        assert.equal(newest?.sequence, block.tokens[Math.floor(index / subscribers) * spacing]?.token.sequence)
      }
      // An update is encoded once for all of its subscribers.
      assert.equal(new Set(subscriptions.map(({ newest }) => newest)).size, watched)
    },
    prepare: () => {
      for (let index = 0; index < BATCH; index++) blocks[index] = nextBlock()
    },
    run: index => {
      const block = blocks[index]
      if (block !== undefined) registry.dispatch(block)
      return block
    },
  }
}

function nameOf(touched: number, watched: number, subscribers: number): string {
  if (touched === 1) return `1 token, watched by ${subscribers.toLocaleString('en')}`
  return `${touched.toLocaleString('en')} tokens, ${watched === touched ? 'all' : watched} watched`
}
