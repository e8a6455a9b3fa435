import { describe, expect, it } from 'vitest'
import type { ChainCalls } from '#benchmarks/chain/chainCalls.ts'
import { thisCheckout } from '#benchmarks/harness/checkout.ts'
import type { Worker } from '#benchmarks/harness/worker.ts'
import { checkHotPaths } from '#benchmarks/hotPaths/compareHotPaths.ts'
import { deliverBlocks } from '#benchmarks/hotPaths/deliverBlocks.ts'
import { HOT_PATHS } from '#benchmarks/hotPaths/hotPaths.ts'
import type { Load } from '#benchmarks/load/load.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import { knownSequence } from '#gateway/realtime/webSocketConnection.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { FACTORY } from '#test/support/simulatedLaunchpad.ts'

const canRun = process.platform === 'linux' && findProgram({ names: ['cc'], aptPackage: 'gcc' }) !== null

it.skipIf(!canRun)('every hot path is measured, and its results are right', async () => {
  const checked: string[] = []
  await checkHotPaths(HOT_PATHS, thisCheckout(), name => checked.push(name))
  expect(checked).toEqual(HOT_PATHS.map(({ name }) => name))
})

it('a subscription of the load says that it has the newest state, in a way that the service accepts', () => {
  const { greeting } = tokenPlan(1, [FACTORY])
  const text = Buffer.from(greeting).toString('latin1')
  const { sequence } = JSON.parse(text.slice(text.indexOf('{'))) as { readonly sequence: number }
  expect(knownSequence(sequence, Date.now())).toBe(sequence)
})

describe('the messages of a block', () => {
  interface Receipt {
    readonly connection: number
    readonly sequence: number
    readonly hash: number
    readonly atMs: number
  }

  /** Two blocks at 10 and 20 ms, each of which is due two messages. */
  function deliver(received: readonly Receipt[]) {
    let head = 0
    const chain = { call: async () => ({ number: ++head, atMs: head * 10 }) } as unknown as Worker<ChainCalls>
    const load = {
      begin: async () => undefined,
      wait: async (awaited: number) => ({ receipts: received.length < awaited || awaited === 4 ? received.length : awaited, cpuMs: 0 }),
      receipts: async () => ({
        count: received.length,
        connection: (index: number) => received[index]?.connection ?? 0,
        sequence: (index: number) => received[index]?.sequence ?? 0,
        hash: (index: number) => received[index]?.hash ?? 0,
        atMs: (index: number) => received[index]?.atMs ?? 0,
      }),
    } as unknown as Load
    let cpuMs = 0
    return deliverBlocks({
      turn: { chain, databaseCpuMs: async () => (cpuMs += 1) },
      service: { usage: async () => ({ cpuMs: (cpuMs += 10), peakRssMiB: 1 }) },
      load,
      blocks: [[0], [0]],
      due: () => 2,
      isChecked: true,
    })
  }

  const receipt = (connection: number, sequence: number, atMs: number, hash = sequence): Receipt => ({ connection, sequence, atMs, hash })
  const whole = [receipt(0, 1, 12), receipt(1, 1, 13), receipt(1, 2, 21), receipt(0, 2, 24)]

  it('are timed from the block at the provider', async () => {
    expect(await deliver(whole)).toMatchObject({ messages: 4, lastMs: [3, 4], newest: 2, serviceCpuMs: 11, databaseCpuMs: 11 })
    expect([...(await deliver(whole)).latenciesMs]).toEqual([1, 2, 3, 4])
  })

  it.each([
    ['one is missing', whole.slice(0, 3), '2 messages of block 2 were due, 1 came'],
    ['there is one too many', [...whole, receipt(0, 3, 25)], '2 messages of block 2 were due, 3 came'],
    ['one came twice instead of another', [...whole.slice(0, 3), receipt(1, 2, 22)], 'came twice at connection 1'],
    ['a sequence goes back', [...whole.slice(0, 3), receipt(0, 0, 22)], 'went back to 0 at connection 0'],
  ])('are refused when %s', async (_, received, message) => {
    await expect(deliver(received)).rejects.toThrow(message)
  })
})
