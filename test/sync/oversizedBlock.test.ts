import { expect, it } from 'vitest'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { runSync } from '#test/support/indexing.ts'
import { createMemoryIndex, watchedLogs } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type NewLog, NodeFailure, testAddress } from '#test/support/simulatedChain.ts'

const launchpad = testAddress(0)
const announce = (index: number): NewLog => ({ address: launchpad, data: `0x${testAddress(index).slice(2).padStart(64, '0')}` })
const speak = (index: number): NewLog => ({ address: testAddress(index) })
/** More than the provider gives at once. */
const many: readonly NewLog[] = Array.from({ length: 20 }, () => speak(99))
const MAX_LOGS = 10
const HEAD = 160

// A block with more logs than its providers gave in one answer was asked for again and again, and nothing after it was ever indexed.
it('a block with more logs than a provider gives is indexed all the same: behind the head, at it, and in a reorg', async () => {
  const chain = createSimulatedChain()
  const logsAt = (number: number): readonly NewLog[] => {
    // Announced in the same run of blocks, which is not committed yet.
    if (number === 109) return [announce(7)]
    if (number === 110) return [speak(7), announce(8), ...many, speak(8)]
    if (number === 111) return [speak(8), ...many, speak(7)]
    if (number === 155) return [...many, announce(9), speak(9)]
    return number % 10 === 0 ? [speak(7), speak(9)] : []
  }
  for (let number = 1; number <= HEAD; number++) chain.mine(logsAt(number))
  const intercept = (_: string, { method }: RpcCall, answer: () => unknown) => {
    const result = answer()
    if (method === 'eth_getLogs' && (result as readonly unknown[]).length > MAX_LOGS)
      throw new NodeFailure(-32_005, 'query returned more than 10000 results')
    return result
  }
  const index = createMemoryIndex({ contracts: [launchpad] })
  const { until, subscription } = runSync({
    rpc: createChainRpc([chain], { intercept }),
    index,
    maxReorgDepth: 60,
    tuning: { followBlocks: 60 },
  })
  await until(() => index.cursor() === HEAD, 'all is indexed')
  expect(index.logs).toEqual(watchedLogs(chain.logs(), [launchpad]))

  chain.drop(3)
  chain.mine([announce(10), speak(10)])
  chain.mine([speak(10), ...many, announce(11), speak(11)])
  for (let count = 0; count < 3; count++) chain.mine([speak(11)])
  await until(() => index.cursor() === HEAD + 2, 'the reorg is replaced')
  expect(index.logs).toEqual(watchedLogs(chain.logs(), [launchpad]))
  subscription.unsubscribe()
})
