import { describe, expect, it } from 'vitest'
import { createLoads } from '#actors/registry.ts'
import type { Address } from '#domain/address.ts'
import { HeldHistory, settle } from '#test/support/actors.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

/** The addresses from one number to another. */
function addresses(first: number, last: number): readonly Address[] {
  return Array.from({ length: last - first + 1 }, (_, index) => addressOf(first + index))
}

function fixture(concurrency = 2, batchSize = 1) {
  const history = new HeldHistory()
  const reported: string[] = []
  const batches: (readonly number[])[] = []
  const clock = { nowMs: 0 }
  const loads = createLoads({
    load: tokens => {
      batches.push(tokens.map(Number))
      return history.load(tokens)
    },
    concurrency,
    batchSize,
    timeoutMs: 1_000,
    now: () => clock.nowMs,
    onLoaded: (token, outcome) =>
      reported.push(`${Number(token)} ${outcome.kind === 'loaded' ? (outcome.snapshot?.token.sequence ?? 'none') : 'failed'}`),
    onFailed: (tokens, error) => reported.push(`${tokens.map(Number).join()}: ${(error as Error).message}`),
  })
  const answer = async () => {
    for (const load of history.pending.slice()) load.resolve()
    await settle()
  }
  return { history, reported, batches, clock, loads, answer }
}

describe('createLoads', () => {
  it('runs a bounded number at once, first come first served', async () => {
    const { history, reported, loads } = fixture()
    for (const n of [1, 2, 3]) loads.request(addressOf(n))
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(1), addressOf(2)])
    history.pending[1]?.resolve()
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(1), addressOf(3)])
    expect(reported).toEqual(['2 none'])
  })

  it('queues a token once, however often it is requested', async () => {
    const { history, loads } = fixture(1)
    for (const n of [1, 2, 2, 2]) loads.request(addressOf(n))
    expect(loads.pending).toBe(2)
    history.store(snapshotOf(addressOf(2), 5))
    await settle()
    history.pending[0]?.resolve()
    await settle()
    history.pending[0]?.resolve()
    await settle()
    expect(history.loads).toBe(2)
    expect(loads.pending).toBe(0)
  })

  it('loads again what is requested during its load, and reports only the later result', async () => {
    const { history, reported, loads } = fixture()
    loads.request(addressOf(1))
    await settle()
    history.store(snapshotOf(addressOf(1), 5))
    loads.request(addressOf(1))
    history.pending[0]?.resolve()
    await settle()
    expect(reported).toEqual([])
    history.pending[0]?.resolve()
    await settle()
    expect(reported).toEqual(['1 5'])
  })

  it('does not report a cancelled load, which keeps its place until it ends', async () => {
    const { history, reported, loads } = fixture(1)
    loads.request(addressOf(1))
    await settle()
    loads.cancel(addressOf(1))
    loads.request(addressOf(2))
    loads.cancel(addressOf(3))
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(1)])
    history.pending[0]?.resolve()
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(2)])
    loads.cancel(addressOf(2))
    history.pending[0]?.resolve()
    await settle()
    expect(reported).toEqual([])
    expect(loads.pending).toBe(0)
  })

  it('reports failures, also of a load that throws at once, never from inside the request', async () => {
    const reported: string[] = []
    const loads = createLoads({
      load: () => {
        throw new Error('no connection')
      },
      concurrency: 1,
      batchSize: 1,
      timeoutMs: 1_000,
      now: () => 0,
      onLoaded: (_, outcome) => reported.push(outcome.kind),
      onFailed: (_, error) => reported.push(String(error)),
    })
    loads.request(addressOf(1))
    expect(reported).toEqual([])
    await settle()
    expect(reported).toEqual(['Error: no connection', 'failed'])
  })

  it('fails a load that times out, and ignores its late result', async () => {
    const { history, reported, clock, loads } = fixture(1)
    loads.request(addressOf(1))
    loads.request(addressOf(2))
    await settle()
    clock.nowMs = 999
    loads.sweep()
    expect(reported).toEqual([])
    clock.nowMs = 1_000
    loads.sweep()
    expect(reported).toEqual(['1: the load timed out', '1 failed'])
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(1), addressOf(2)])
    history.pending[0]?.resolve()
    await settle()
    expect(reported).toEqual(['1: the load timed out', '1 failed'])
  })

  it('loads in one batch what is requested together, and then what was requested meanwhile', async () => {
    const { history, reported, batches, loads, answer } = fixture(1, 4)
    history.store(snapshotOf(addressOf(2), 5))
    for (const token of addresses(1, 3)) loads.request(token)
    await settle()
    for (const token of addresses(4, 9)) loads.request(token)
    await answer()
    expect(reported).toEqual(['1 none', '2 5', '3 none'])
    await answer()
    await answer()
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ])
    expect(loads.pending).toBe(0)
  })

  it('fails all tokens of a batch together', async () => {
    const { history, reported, loads } = fixture(1, 4)
    loads.request(addressOf(1))
    loads.request(addressOf(2))
    await settle()
    history.pending[0]?.reject()
    await settle()
    expect(reported).toEqual(['1,2: the database is away', '1 failed', '2 failed'])
  })

  it('loads the token of a client that waits for one token in the next batch, however many another client waits for', async () => {
    const { batches, loads, answer } = fixture(1, 4)
    const greedy = {}
    loads.request(addressOf(1_000))
    await settle()
    for (const token of addresses(1, 100)) {
      loads.request(token)
      loads.queueFor(token, greedy)
    }
    loads.request(addressOf(500))
    loads.queueFor(addressOf(500), {})
    await answer()
    expect(batches[1]).toContain(500)
    // The other half is in the order of the requests.
    expect(batches[1]).toEqual([1, 500, 2, 3])
  })

  it('loads a token that two clients wait for in the turn of the one that is served first', async () => {
    const { batches, loads, answer } = fixture(1, 4)
    const greedy = {}
    loads.request(addressOf(1_000))
    await settle()
    for (const token of addresses(1, 100)) {
      loads.request(token)
      loads.queueFor(token, greedy)
    }
    loads.queueFor(addressOf(100), {})
    await answer()
    expect(batches[1]).toEqual([1, 100, 2, 3])
    for (let batch = 0; batch < 30; batch++) await answer()
    expect(batches.flat().toSorted((a, b) => a - b)).toEqual([...addresses(1, 100), addressOf(1_000)].map(Number))
  })

  it('loads tokens that no client waits for while clients keep asking', async () => {
    const { batches, loads, answer } = fixture(1, 4)
    loads.request(addressOf(1_000))
    await settle()
    loads.request(addressOf(500))
    for (const token of addresses(1, 100)) {
      loads.request(token)
      loads.queueFor(token, {})
    }
    await answer()
    // Half of the batch by the clients' turns, and the rest in the order of the requests.
    expect(batches[1]).toEqual([1, 2, 500, 3])
  })
})
