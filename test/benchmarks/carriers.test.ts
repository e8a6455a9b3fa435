import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Load, type Receipts } from '#benchmarks/load/load.ts'
import { costOfAnnouncement } from '#benchmarks/macro/carriers/announcement.ts'
import { measureArrival } from '#benchmarks/macro/carriers/arrival.ts'
import { type Commits, startCommits } from '#benchmarks/macro/carriers/commits.ts'
import { countArrivals } from '#benchmarks/macro/carriers/countArrivals.ts'
import { LARGE_BLOCK_ARMS, measureLargeBlocks } from '#benchmarks/macro/carriers/largeBlock.ts'
import { costOfListeners } from '#benchmarks/macro/carriers/listeners.ts'
import { type Carrier, openCarriers } from '#benchmarks/macro/carriers/openCarriers.ts'
import { reportLargeBlocks, reportListeners } from '#benchmarks/macro/carriers/reportCarriers.ts'
import { isInstalled } from '#benchmarks/servers/childServer.ts'
import { findProgram } from '#test/support/findProgram.ts'

const isLinux = process.platform === 'linux'
const natsServer = findProgram({ names: ['nats-server'], aptPackage: 'nats-server' })

describe.skipIf(!isLinux)('the benchmark of carriers, of small blocks', () => {
  let commits: Commits
  let carriers: readonly Carrier[]

  beforeAll(async () => {
    commits = await startCommits()
    carriers = await openCarriers(commits, natsServer)
  })
  afterAll(() => commits.stop())

  it('times commits with and without their announcement', async () => {
    const before = await newestCommit()
    const costs = await costOfAnnouncement(commits, 2)
    for (const times of [costs.with, costs.without]) {
      expect(times).toHaveLength(2)
      for (const ms of times) expect(ms).toBeGreaterThan(0)
    }
    // The announcement counts the commit.
    expect(await newestCommit()).toBe(before + 2)
  })

  it('has every state arrive by each carrier', async () => {
    for (const carrier of carriers) {
      const times = await measureArrival(commits, carrier, 3)
      expect(times).toHaveLength(3)
      expect(times.every(Number.isFinite)).toBe(true)
    }
  })

  it('counts the processor time of the writer and of its backend for each commit that gateways listen to', async () => {
    for (const carrier of carriers.slice(1)) {
      const results = await costOfListeners(commits, carrier, { counts: [0, 2], blocks: 2, everyMs: 1 })
      expect(results.map(({ listeners }) => listeners)).toEqual([0, 2])
      for (const { tookMs, writerCpuMs, backendCpuMs, gatewaysCpuMs, databaseCpuMs } of results) {
        for (const list of [tookMs, writerCpuMs, backendCpuMs]) {
          // Two turns.
          expect(list).toHaveLength(4)
          for (const ms of list) expect(ms).toBeGreaterThan(0)
        }
        expect([gatewaysCpuMs.length, databaseCpuMs.length]).toEqual([2, 2])
      }
      expect(reportListeners(carrier.name, results)).toMatch(/^0 listen .* ms +1\.00 .*\n2 listen /m)
    }
  })

  async function newestCommit(): Promise<number> {
    const { readNewestCommit } = await import('#store/rows/announcement.ts')
    return (await readNewestCommit(commits.db))?.commit ?? 0
  }
})

describe.skipIf(!isLinux || !isInstalled('cc'))('the benchmark of carriers, of a large block', () => {
  it('has every update of a block arrive at every client, through each carrier', async () => {
    // Gateway processes differ in their settings alone.
    const turns = LARGE_BLOCK_ARMS.filter(arm => arm !== (natsServer === null ? 'NATS' : 'NOTIFY'))
    const measured = await measureLargeBlocks({ tokens: 12, connections: 5, gateways: 2, blocks: 2, natsServer, turns })
    const { results, reading } = measured
    expect(results.map(({ arm }) => arm)).toEqual(turns)
    for (const { firstMs, lastMs, minedMs, writerCpuMs, databaseCpuMs } of results) {
      for (const list of [firstMs, lastMs, minedMs]) expect(list).toHaveLength(2)
      for (const [block, last] of lastMs.entries()) {
        expect(last).toBeGreaterThanOrEqual(firstMs[block] ?? Number.NaN)
        expect(minedMs[block]).toBeGreaterThan(0)
      }
      expect([writerCpuMs.length, databaseCpuMs.length]).toEqual([1, 1])
    }
    for (const ms of [reading.databaseMs, reading.readerMs]) expect(ms).toBeGreaterThan(0)
    expect(reportLargeBlocks(12, measured)).toMatch(/^one process .+ – .+ 2\n(.+\n)*(NOTIFY|NATS) .+ 2$/m)
  })
})

describe('the arrivals of a block', () => {
  interface Receipt {
    readonly sequence: number
    readonly connection: number
    readonly atMs: number
    readonly hash: number
  }

  /** Receipts of which each `wait` finds as many more as it asks for. */
  function loadOf(receipts: readonly Receipt[]): Pick<Load, 'wait' | 'receipts'> {
    let came = 0
    return {
      wait: async awaited => {
        came = Math.min(receipts.length, awaited)
        return { receipts: came, cpuMs: 1 }
      },
      receipts: async (): Promise<Receipts> => ({
        count: came,
        sequence: index => receipts[index]?.sequence ?? 0,
        atMs: index => receipts[index]?.atMs ?? 0,
        connection: index => receipts[index]?.connection ?? 0,
        hash: index => receipts[index]?.hash ?? 0,
      }),
    }
  }

  const receipt = (atMs: number, connection: number, hash: number, sequence = 7): Receipt => ({ atMs, connection, hash, sequence })
  const expected = { connections: 2, tokens: 2, timeoutMs: 0 }
  const whole = [receipt(3, 0, 1), receipt(2, 1, 1), receipt(4, 0, 2), receipt(5, 1, 2)]

  it('are from the first to the last of them, whatever else comes', async () => {
    const other = receipt(1, 0, 9, 6)
    expect(await countArrivals(loadOf([other, ...whole]), { ...expected, timeoutMs: 60_000 })).toEqual({
      firstAtMs: 2,
      lastAtMs: 5,
      cpuMs: 1,
    })
  })

  it.each([
    ['one is missing', whole.slice(1), '4 updates of a block were due, 3 came'],
    ['one came twice instead of another', [...whole.slice(0, 3), receipt(6, 1, 1)], 'connection 1 got an update twice'],
    ['one connection got those of another', whole.map(of => ({ ...of, connection: 0, hash: of.atMs })), 'connection 0 got'],
  ])('are refused when %s', async (_, receipts, message) => {
    await expect(countArrivals(loadOf(receipts), expected)).rejects.toThrow(message)
  })
})
