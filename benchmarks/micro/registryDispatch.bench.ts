import assert from 'node:assert/strict'
import type { MicroBenchmark, MicroTask } from '#benchmarks/micro/microBenchmark.ts'
import { CountingSubscription } from '#benchmarks/support/countingSubscription.ts'
import { growingSnapshot } from '#benchmarks/support/growingSnapshot.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { blockOf, createTestRegistry } from '#test/support/actors.ts'
import { addressOf } from '#test/support/snapshots.ts'

const WATCHED = 10
const ALONE = 'the 10 watched alone'
const BATCH = 5
const LOOK_UPS = 990

export const registryDispatchBenchmark: MicroBenchmark = {
  name: 'registry dispatch',
  about: 'dispatches a committed block to the actors; each watched token is encoded for one subscriber',
  tasks: () => [
    lookUp(),
    dispatch('1 token, watched', 1, 1),
    dispatch(ALONE, WATCHED, WATCHED),
    { ...dispatch('100 tokens, 10 watched', 100, WATCHED), base: ALONE },
    { ...dispatch('1,000 tokens, 10 watched', 1_000, WATCHED), base: ALONE },
    { ...dispatch('100 tokens, all watched', 100, 100), base: ALONE },
    { ...dispatch('1,000 tokens, all watched', 1_000, 1_000), base: ALONE },
  ],
}

/** The cost of a token without an actor. */
function lookUp(): MicroTask {
  const registry = createTestRegistry()
  const watched = new CountingSubscription()
  registry.subscribe(addressOf(1), watched)
  const unwatched = blockOf(...Array.from({ length: LOOK_UPS }, (_, index) => growingSnapshot(addressOf(index + 2))()))
  const next = growingSnapshot(addressOf(1))
  registry.dispatch(blockOf(next()))
  return {
    name: `${LOOK_UPS} tokens, none watched: only looked up`,
    batch: BATCH,
    check: () => {
      const { updates } = watched
      registry.dispatch(unwatched)
      assert.equal(watched.updates, updates)
      registry.dispatch(blockOf(next()))
      assert.equal(watched.updates, updates + 1)
      assert.equal(registry.health().total, 1)
    },
    run: () => registry.dispatch(unwatched),
  }
}

/** The watched tokens are spread over the block, as in production. */
function dispatch(name: string, touched: number, watched: number): MicroTask {
  const registry = createTestRegistry()
  const spacing = touched / watched
  const tokens = Array.from({ length: touched }, (_, index) => growingSnapshot(addressOf(index + 1)))
  const subscriptions = Array.from({ length: watched }, (_, index) => {
    const subscription = new CountingSubscription()
    registry.subscribe(addressOf(index * spacing + 1), subscription)
    return subscription
  })
  const unwatched = tokens.map(next => next())
  const nextBlock = () => blockOf(...tokens.map((next, index) => (index % spacing === 0 ? next() : (unwatched[index] ?? next()))))
  const blocks: CommittedBlock[] = []
  registry.dispatch(nextBlock())
  return {
    name,
    batch: BATCH,
    check: () => {
      const block = nextBlock()
      const before = subscriptions.map(({ updates }) => updates)
      registry.dispatch(block)
      assert.equal(block.tokens.length, touched)
      assert.equal(registry.health().total, watched)
      assert.deepEqual(
        subscriptions.map(({ updates }) => updates),
        before.map(updates => updates + 1),
      )
      const sequences = subscriptions.map(({ newest }) => newest?.sequence)
      assert.deepEqual(
        sequences,
        block.tokens.filter((_, index) => index % spacing === 0).map(({ token }) => token.sequence),
      )
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
