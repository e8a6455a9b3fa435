import { describe, expect, it } from 'vitest'
import { createLoads } from '#actors/loads.ts'
import { HeldHistory, settle } from '#test/support/actors.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

function fixture(concurrency = 2) {
  const history = new HeldHistory()
  const reported: string[] = []
  const clock = { nowMs: 0 }
  const loads = createLoads({
    load: history.load,
    concurrency,
    timeoutMs: 1_000,
    now: () => clock.nowMs,
    onLoaded: (token, outcome) => reported.push(`${Number(token)} ${outcome.ok ? (outcome.snapshot?.token.sequence ?? 'none') : 'failed'}`),
  })
  return { history, reported, clock, loads }
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
      timeoutMs: 1_000,
      now: () => 0,
      onLoaded: (_, outcome) => reported.push(outcome.ok ? 'ok' : String(outcome.error)),
    })
    loads.request(addressOf(1))
    expect(reported).toEqual([])
    await settle()
    expect(reported).toEqual(['Error: no connection'])
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
    expect(reported).toEqual(['1 failed'])
    await settle()
    expect(history.pending.map(load => load.token)).toEqual([addressOf(1), addressOf(2)])
    history.pending[0]?.resolve()
    await settle()
    expect(reported).toEqual(['1 failed'])
  })
})
