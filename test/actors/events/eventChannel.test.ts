import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfBlock, FIRST_PLACE } from '#domain/eventPlace.ts'
import { Client, EMPTIED, Fixture, perform, step } from './channelClients.ts'

describe('an event channel', () => {
  it('leaves every client with what the database holds, each event once, or with a gap', async () => {
    let gaps = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }), async steps => {
        const fixture = new Fixture()
        for (const one of steps) await perform(fixture, one)
        for (const client of fixture.clients) {
          fixture.resume(client)
          fixture.connect(client)
        }
        fixture.channel.sweep()
        await fixture.settle()
        for (const client of fixture.clients) {
          expect([...client.held.keys()].toSorted()).toEqual(client.expected.toSorted())
          gaps += client.gaps
        }
        await fixture.channel.stop()
      }),
      { numRuns: 150, examples: [[EMPTIED]] },
    )
    expect(gaps).toBeGreaterThan(0)
  })

  it('reads nothing without a subscriber', async () => {
    const fixture = new Fixture()
    fixture.stored.commit([1, 10])
    fixture.channel.changed()
    fixture.channel.sweep()
    await fixture.settle()
    expect(fixture.stored.reads).toBe(0)
  })

  it('catches up a thousand clients with a few reads', async () => {
    const fixture = new Fixture()
    for (let block = 0; block < 6; block++) fixture.stored.commit([1, 10], [2, 11])
    const clients = Array.from({ length: 1_000 }, () => new Client(fixture.stored, {}))
    for (const [index, client] of clients.entries()) {
      client.position = { place: { blockNumber: index % 6, logIndex: 4 }, reorgs: 0 }
      client.start = client.position.place
      fixture.connect(client)
    }
    await fixture.settle()
    for (const client of clients) expect([...client.held.keys()]).toEqual(client.expected)
    expect(fixture.stored.reads).toBeLessThan(30)
  })

  it('waits for a position that the database shows later, and gives one up that it never shows', async () => {
    const fixture = new Fixture()
    fixture.stored.commit([1, 10])
    const [soon, never, otherReorgs] = [0, 1, 2].map(() => new Client(fixture.stored, {})) as [Client, Client, Client]
    soon.start = { blockNumber: 2, logIndex: 1 }
    soon.position = { place: soon.start, reorgs: 0 }
    never.position = { place: { blockNumber: 1_000, logIndex: 0 }, reorgs: 0 }
    otherReorgs.position = { place: FIRST_PLACE, reorgs: 7 }
    for (const client of [soon, never, otherReorgs]) fixture.connect(client)
    await fixture.settle()
    fixture.stored.commit([1, 10], [1, 11])
    fixture.channel.changed()
    await fixture.settle()
    expect([...soon.held.keys()]).toEqual(['2-4'])
    expect([never.gaps, otherReorgs.gaps]).toEqual([0, 0])
    fixture.nowMs += 10_000
    fixture.channel.sweep()
    await fixture.settle()
    expect([soon.gaps, never.gaps, otherReorgs.gaps]).toEqual([0, 1, 1])
    expect(never.position).toEqual({ place: endOfBlock(2), reorgs: 0 })
    // A client that is cut between the reorg and the gap resumes from the beginning.
    expect([never.begunAnew, otherReorgs.begunAnew]).toEqual([
      { place: FIRST_PLACE, reorgs: 0 },
      { place: FIRST_PLACE, reorgs: 0 },
    ])
    fixture.stored.commit([3, 12])
    fixture.channel.changed()
    await fixture.settle()
    for (const client of [soon, never, otherReorgs]) expect(client.held.has('3-1')).toBe(true)
  })

  it('says that it could not read, and reads again at the next sweep', async () => {
    const fixture = new Fixture()
    const [client] = fixture.clients as [Client]
    fixture.fails = true
    fixture.connect(client)
    await fixture.settle()
    expect([fixture.failures, client.position]).toEqual([1, null])
    fixture.fails = false
    fixture.channel.sweep()
    await fixture.settle()
    expect(client.position).not.toBeNull()
  })
})
