import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LiveHandle } from '#client/follow.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { A, Fixture, MAKER, perform, step } from './liveFixture.ts'

describe('live channels', () => {
  it('end with what REST says under any faults, each event once, void, or told as a gap', async () => {
    let repaired = 0
    let gaps = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50, size: 'max' }), fc.integer(), async (steps, seed) => {
        const fixture = new Fixture(createRandom(seed).unit)
        fixture.follow()
        await fixture.pass(1)
        for (const one of steps) await perform(fixture, one)
        Object.assign(fixture.service.faults, { webSocket: 'fine', rest: 'fine' })
        for (const socket of fixture.service.sockets) socket.isStalled = false
        await fixture.pass(120)
        await fixture.expectTruth()
        fixture.client.close()
        await fixture.clock.advance(1_000)
        // The clock of the slow reader itself may still run.
        expect({ sockets: fixture.service.sockets.size }).toEqual({ sockets: 0 })
        repaired += fixture.service.requests.filter(path => path.includes('after=')).length
        gaps += fixture.graduations.gaps.length
      }),
      { endOnFailure: true, numRuns: Number(process.env['LIVE_RUNS'] ?? 40) },
    )
    expect(Math.min(repaired, gaps)).toBeGreaterThan(0)
  })

  // `crossings` delivered nothing, since its `subscribed` was taken for a message of a later version.
  it.each(['trades', 'launches', 'graduations', 'crossings'] as const)('deliver the events of %s', async channel => {
    const fixture = new Fixture(() => 0.5)
    const live = fixture.connect()
    const told: string[] = []
    const tell = ({ type, cursor }: { readonly type: string; readonly cursor: string }) => told.push(`${type} ${cursor}`)
    if (channel === 'crossings') live.crossings({ of: 'holders', above: '1' }, tell)
    else live[channel]({}, tell)
    await fixture.pass(1)
    fixture.service.commit([1, 10])
    await fixture.pass(1)
    expect({ told, errors: fixture.errors }).toEqual({ told: ['begin 0-0', `${channel} 1-1`], errors: [] })
    fixture.client.close()
  })

  it('hold back a reader that stops, in bounded memory, and leave nothing out', async () => {
    const fixture = new Fixture(() => 0.5, 10_000)
    const reading = fixture.connect().trades()
    const first = reading.next()
    await fixture.pass(1)
    expect((await first).value).toMatchObject({ type: 'begin', cursor: '0-0' })
    const expected = Array.from({ length: 1_500 }, (_, block) => `${block + 1}-1`)
    for (const [index] of expected.entries()) {
      fixture.service.commit([1, 10])
      if (index % 50 === 0) await fixture.pass(1)
    }
    await fixture.pass(60)
    const taken: string[] = []
    for (let n = 0; n < 1_000; n++) {
      const { value } = await reading.next()
      if (value?.type === 'trades') taken.push(...value.data.map(({ id }) => id))
    }
    // The rest was left at the service.
    expect(taken).toEqual(expected.slice(0, 1_000))
    const last = (async () => {
      while (taken.length < expected.length) {
        const { value } = await reading.next()
        if (value?.type === 'trades') taken.push(...value.data.map(({ id }) => id))
      }
    })()
    await fixture.pass(120)
    await last
    expect(taken).toEqual(expected)
    fixture.client.close()
    expect(await reading.next()).toEqual({ done: true, value: undefined })
  })

  it('share one connection, end with their handle or signal, and say why they are refused', async () => {
    const fixture = new Fixture(() => 0.5)
    const live = fixture.connect()
    const ends: string[] = []
    const onEnd = ({ code }: { readonly code: string }) => ends.push(code)
    fixture.client.watch(A, () => {})
    const aborter = new AbortController()
    const told: string[] = []
    const handles: LiveHandle[] = [
      live.trades({}, ({ type }) => told.push(type)),
      live.list({ sort: 'volume24h' }, () => told.push('list')),
    ]
    live.candles({ token: A }, () => told.push('candles'), { signal: aborter.signal })
    live.trades({ minWeth: 'much' }, () => {}, { onEnd })
    live.launches({ launchpads: ['nowhere'] }, () => {}, { onEnd })
    await fixture.pass(2)
    expect(fixture.service.sockets.size).toBe(1)
    expect([ends, told.toSorted()]).toEqual([
      ['rejected', 'rejected'],
      ['begin', 'candles', 'candles', 'candles', 'list'],
    ])
    // The channel takes more makers than REST.
    fixture.service.faults.rest = 'refusing'
    live.latestTrades({ makers: [MAKER] }, () => {}, { onEnd })
    await fixture.pass(2)
    expect(ends).toEqual(['rejected', 'rejected', 'rejected'])
    fixture.service.faults.rest = 'fine'
    for (const handle of handles) handle.close()
    aborter.abort()
    fixture.service.commit([1, 10])
    await fixture.pass(2)
    expect(told).toHaveLength(5)
    const refused = live
      .trades({ minWeth: 'much' })
      .next()
      .catch((error: unknown) => error)
    await fixture.pass(2)
    expect(await refused).toMatchObject({ code: 'rejected' })
    fixture.client.close()
    await expect(live.trades().next()).rejects.toMatchObject({ code: 'closed' })
    expect(() => live.list({}, () => {})).toThrow(expect.objectContaining({ code: 'closed' }))
    expect(fixture.clock.waiting).toBe(0)
  })

  it('need more connections than one for more than twenty channels, and say so past all of them', async () => {
    const fixture = new Fixture(() => 0.5)
    const live = fixture.connect()
    const ends: string[] = []
    for (let n = 0; n < 101; n++) live.trades({ tokens: [addressOf(n)] }, () => {}, { onEnd: ({ code }) => ends.push(code) })
    await fixture.pass(2)
    expect([fixture.service.sockets.size, ends]).toEqual([5, ['too_many_watches']])
    fixture.client.close()
  })
})
