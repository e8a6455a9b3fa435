import { describe, expect, it } from 'vitest'
import { Loads } from '#actors/loads.ts'
import { HeldHistory, settle } from '#test/support/actors.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

function fixture(concurrency = 2) {
  const history = new HeldHistory()
  const told: string[] = []
  const clock = { nowMs: 0 }
  const loads = new Loads({
    history,
    concurrency,
    timeoutMs: 1_000,
    now: () => clock.nowMs,
    finished: (token, outcome) => told.push(`${Number(token)} ${outcome.ok ? (outcome.snapshot?.token.sequence ?? 'none') : 'failed'}`),
  })
  return { history, told, clock, loads }
}

describe('Loads', () => {
  it('makes a bounded number at once, first come first served', async () => {
    const { history, told, loads } = fixture()
    for (const n of [1, 2, 3]) loads.request(addressOf(n))
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(1), addressOf(2)])
    history.pending[1]?.resolve()
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(1), addressOf(3)])
    expect(told).toEqual(['2 none'])
  })

  it('waits in line once, however often it is asked for', async () => {
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

  it('loads again when it is asked for while under way, and tells only what was read after that', async () => {
    const { history, told, loads } = fixture()
    loads.request(addressOf(1))
    await settle()
    history.store(snapshotOf(addressOf(1), 5))
    loads.request(addressOf(1))
    history.pending[0]?.resolve()
    await settle()
    expect(told).toEqual([])
    history.pending[0]?.resolve()
    await settle()
    expect(told).toEqual(['1 5'])
  })

  it('tells nobody of a load that was cancelled, and keeps its place until it ends', async () => {
    const { history, told, loads } = fixture(1)
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
    expect(told).toEqual([])
    expect(loads.pending).toBe(0)
  })

  it('tells of failures, also of a port that throws at once, never from inside the request', async () => {
    const told: string[] = []
    const loads = new Loads({
      history: {
        load: () => {
          throw new Error('no connection')
        },
      },
      concurrency: 1,
      timeoutMs: 1_000,
      now: () => 0,
      finished: (_, outcome) => told.push(outcome.ok ? 'ok' : String(outcome.error)),
    })
    loads.request(addressOf(1))
    expect(told).toEqual([])
    await settle()
    expect(told).toEqual(['Error: no connection'])
  })

  it('gives up a load that takes too long, and ignores its answer', async () => {
    const { history, told, clock, loads } = fixture(1)
    loads.request(addressOf(1))
    loads.request(addressOf(2))
    await settle()
    clock.nowMs = 999
    loads.sweep()
    expect(told).toEqual([])
    clock.nowMs = 1_000
    loads.sweep()
    expect(told).toEqual(['1 failed'])
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(1), addressOf(2)])
    history.pending[0]?.resolve()
    await settle()
    expect(told).toEqual(['1 failed'])
  })
})
