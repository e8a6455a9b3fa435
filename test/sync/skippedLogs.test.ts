import { expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Hex } from '#domain/address.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import { createSkippedLogCounter } from '#sync/committer.ts'
import { batchOf } from '#sync/prefetch.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { addressOf, wordOf } from '#test/support/rows.ts'
import { commitBatch, openIndex, replaceWith, wholeBlock } from '#test/support/simulatedIndex.ts'
import { FACTORY, START_BLOCK } from '#test/support/simulatedLaunchpad.ts'

const database = await useDatabase()

const logOf = (address: number, event: number) =>
  ({ address: addressOf(address), topics: [wordOf(event)] }) as unknown as Parameters<
    ReturnType<typeof createSkippedLogCounter>['note']
  >[0][number]
const lookup = (key: Hex) => (key === addressOf(1) ? ({ role: 'contract', launchpad: 'wow' } as unknown as LogSource) : undefined)

test('counts logs by launchpad and event', () => {
  const counter = createSkippedLogCounter()
  counter.note([logOf(1, 7), logOf(1, 7), logOf(1, 8), logOf(2, 7)], lookup)
  expect(counter.counts()).toEqual([
    { launchpad: 'wow', event: wordOf(7), count: 2 },
    { launchpad: 'wow', event: wordOf(8), count: 1 },
    { launchpad: 'unknown', event: wordOf(7), count: 1 },
  ])
})

test('has a bounded number of counts, however many events there are', () => {
  const counter = createSkippedLogCounter()
  counter.note(
    Array.from({ length: 1_000 }, (_, event) => logOf(1, event)),
    lookup,
  )
  const counts = counter.counts()
  expect(counts).toHaveLength(201)
  expect(counts.at(-1)).toEqual({ launchpad: 'others', event: 'others', count: 800 })
})

test.each(['live', 'range', 'replacement'] as const)('counts what can not be decoded: %s', async path => {
  await database.clear()
  const { chain, mine } = createForkingChain(createRandom(4), 64)
  mine(20)
  const skipped = createSkippedLogCounter()
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 16, skipped })
  const { header } = chain.at(START_BLOCK)
  const launch = Array.from({ length: 20 }, (_, number) => chain.at(number).logs)
    .flat()
    .find(({ address }) => address === FACTORY)
  if (launch === undefined) throw new Error('nothing was launched')
  const block = { header, logs: [{ ...launch, blockNumber: header.number, blockHash: header.hash, data: '0x' as const }] }
  if (path === 'replacement') {
    await commitBatch(index, batchOf([{ header: { ...header, hash: wordOf(7) }, logs: [] }], 'live', index.directory, new Set()))
    await replaceWith(index, { ancestor: null, batches: [wholeBlock(block)] })
  } else await commitBatch(index, batchOf([block], path, index.directory, new Set()))
  expect(skipped.counts()).toContainEqual({ launchpad: 'reference', event: expect.stringMatching(/^0x[0-9a-f]{64}$/), count: 1 })
})
