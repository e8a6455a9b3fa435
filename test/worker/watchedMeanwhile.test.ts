import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { batchOf } from '#sync/prefetch.ts'
import { createTestRegistry, RecordingSubscription } from '#test/support/actors.ts'
import { useDatabase } from '#test/support/database.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'
import { commitBatch, openIndex } from '#test/support/simulatedIndex.ts'
import { EMPTY_MARKET, START_BLOCK, tradeBlock } from '#test/support/simulatedLaunchpad.ts'

/*
 * A token is committed while a client begins to watch it, in every order that the two can take. The commit: it is asked whether the token
 * is watched, the commit can be seen, the block is dispatched. The actor: it is made, reads the token's rows, is given what was read. The
 * commit is another thread's, which is told of the actor at once or only after it was asked: made, and not known there.
 */

const COMMIT = ['asked', 'seen', 'dispatched'] as const
const ACTOR = ['made', 'read', 'given'] as const
type Step = (typeof COMMIT)[number] | (typeof ACTOR)[number]

const database = await useDatabase()

const ORDERS = interleavings(COMMIT, ACTOR)
const CASES = [
  ...ORDERS.map(order => ({ order, told: 'at once' }) as const),
  // After it was asked the thread is told in vain.
  ...ORDERS.filter(order => order.indexOf('made') < order.indexOf('asked')).map(order => ({ order, told: 'late' }) as const),
].map(({ order, told }) => ({ order, told, name: `${order.join(' ')}, told ${told}` }))

for (const subject of ['launches', 'trades'] as const) {
  it.each(CASES)(`a block that ${subject} a token reaches who begins to watch it: $name`, async ({ order, told: toldWhen }) => {
    const known = new Set<Address>()
    const { index, batch, token, gates } = await openCommit(subject, token => known.has(token))
    const read = { begin: Promise.withResolvers<void>(), done: Promise.withResolvers<void>(), give: Promise.withResolvers<void>() }
    let loads = 0
    const registry = createTestRegistry({
      load: async tokens => {
        // The first load goes by the test's steps, what follows from it as it may.
        if (++loads > 1) return load(tokens)
        await read.begin.promise
        const snapshots = await load(tokens)
        read.done.resolve()
        await read.give.promise
        return snapshots
      },
      onActivated: token => {
        if (toldWhen === 'at once') known.add(token)
      },
      onPassivated: token => known.delete(token),
    })
    const subscription = new RecordingSubscription()

    const commits: ReturnType<typeof commitBatch>[] = []
    const steps: Readonly<Record<Step, () => unknown>> = {
      asked: () => {
        commits.push(commitBatch(index, batch))
        return gates.asked.promise
      },
      seen: () => {
        gates.seen.resolve()
        return commits[0]
      },
      dispatched: async () => {
        for (const block of await Promise.all(commits)) registry.dispatch(block)
      },
      made: () => registry.subscribe(token, subscription),
      read: () => {
        read.begin.resolve()
        return read.done.promise
      },
      given: async () => {
        read.give.resolve()
        await turn()
      },
    }
    try {
      for (const step of order) await steps[step]()
      const [stored] = await load([token])
      expect(stored).toBeDefined()
      await expect.poll(() => subscription.calls.at(-1)?.sequence).toBe(stored?.token.sequence)
      const told = subscription.frames.map(({ sequence }) => sequence)
      expect(told).toEqual(told.toSorted((a, b) => a - b))
    } finally {
      gates.seen.resolve()
      await Promise.all(commits)
      registry.stop()
    }
  })
}

/** Every way to lay two sequences into one. */
function interleavings(a: readonly Step[], b: readonly Step[]): readonly (readonly Step[])[] {
  const [firstOfA, ...restOfA] = a
  const [firstOfB, ...restOfB] = b
  if (firstOfA === undefined || firstOfB === undefined) return [[...a, ...b]]
  return [...interleavings(restOfA, b).map(rest => [firstOfA, ...rest]), ...interleavings(a, restOfB).map(rest => [firstOfB, ...rest])]
}

/** A chain of trades, indexed up to before the block that the test commits by its own steps. */
async function openCommit(subject: 'launches' | 'trades', isWatched: (token: Address) => boolean) {
  await database.clear()
  const random = createRandom(3)
  const chain = createSimulatedChain()
  const gates = { seen: Promise.withResolvers<void>(), asked: Promise.withResolvers<void>() }
  let gated = false
  const index = await openIndex(database, {
    genesisHash: chain.at(0).header.hash,
    maxReorgDepth: 4,
    isWatched,
    around: transaction => work =>
      transaction(async db => {
        const result = await work(db)
        if (gated) {
          gates.asked.resolve()
          await gates.seen.promise
        }
        return result
      }),
  })
  let market = EMPTY_MARKET
  const mine = () => {
    const { logs, market: after } = tradeBlock(market, random)
    market = after
    return chain.mine(logs)
  }
  // What launches a token begins with its mint, and what is a trade or a transfer with a Transfer of it.
  for (;;) {
    const block = mine()
    const batch = batchOf([block], 'live', index.directory, new Set())
    const token = batch.logs[0]?.address
    const launches = index.directory.discover(batch.logs).length > 0
    if (token !== undefined && (subject === 'launches' ? launches : !launches && (await load([token])).length > 0)) {
      gated = true
      return { index, batch, token, gates }
    }
    expect(block.header.number).toBeLessThan(START_BLOCK + 50)
    await commitBatch(index, batch)
  }
}

const load = (addresses: readonly Address[]): Promise<readonly TokenSnapshot[]> => readSnapshots(database.kysely, { chainId: 1, addresses })
