import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UNRESPONSIVE_MS } from '#gateway/realtime/webSocketConnection.ts'
import { eventually } from '#test/support/eventually.ts'
import { expectExact, idsOf, LARGE, StreamFixture } from './streamFixture.ts'

let fixture: StreamFixture

beforeEach(async () => {
  fixture = await StreamFixture.start()
})
afterEach(() => fixture.realtime.stop())

describe('a slow reader of an event stream', () => {
  it('gets a stream that is right to the byte, and the newest update when it reads again', async () => {
    const client = await fixture.open()
    await client.until(() => idsOf(client).length === 1)
    for (let round = 0; round < 3; round++) {
      await fixture.stopReading(client)
      await fixture.commitMany(40)
      client.socket.resume()
      await client.until(() => idsOf(client).at(-1) === fixture.sequence)
      expect(fixture.isLagging).toBe(false)
    }
    expectExact(fixture, client)
    const { deliveredTotal, conflatedTotal } = fixture.report
    expect(deliveredTotal).toBe(idsOf(client).length)
    expect(deliveredTotal + conflatedTotal).toBe(fixture.sequence)
    expect(conflatedTotal).toBeGreaterThan(0)
  })

  it('that reads a little at a time gets a stream that is right to the byte', async () => {
    const client = await fixture.open()
    await client.until(() => idsOf(client).length === 1)
    await fixture.stopReading(client)
    for (let read = 0; read < 60; read++) {
      client.socket.once('data', () => client.socket.pause())
      client.socket.resume()
      await fixture.commitMany(2, read % 3 === 0 ? {} : LARGE)
    }
    client.socket.resume()
    await client.until(() => idsOf(client).at(-1) === fixture.sequence)
    expectExact(fixture, client)
  })

  it('gets everything that was written when nothing follows it', async () => {
    let capacity = 0
    // The kernel gives the first connection smaller buffers than those that follow.
    for (let probe = 0; probe < 3; probe++) {
      const client = await fixture.open()
      await client.until(() => idsOf(client).length === 1)
      const before = fixture.sequence
      await fixture.stopReading(client)
      capacity = fixture.sequence - before
      client.terminate()
      await eventually(() => fixture.report.eventStreams === 0)
    }
    // Around the point where the kernel takes no more, some of it stays with uWebSockets, which does not say so.
    for (const less of [4, 3, 2, 1, 0]) {
      const client = await fixture.open()
      await client.until(() => idsOf(client).length === 1)
      client.socket.pause()
      await fixture.commitMany(capacity - less)
      client.socket.resume()
      await client.until(() => idsOf(client).at(-1) === fixture.sequence)
      expectExact(fixture, client)
      client.terminate()
      await eventually(() => fixture.report.eventStreams === 0)
    }
  })

  it('costs a bounded amount of memory', async () => {
    const client = await fixture.open()
    await client.until(() => idsOf(client).length === 1)
    await fixture.stopReading(client)
    await fixture.commitUndelivered(300)
    expect(fixture.isLagging).toBe(true)
  })

  it('is closed when it has read nothing for a minute', async () => {
    const client = await fixture.open()
    await client.until(() => idsOf(client).length === 1)
    await fixture.stopReading(client)
    fixture.realtime.pass(UNRESPONSIVE_MS / 1_000 - 1)
    expect(fixture.report.eventStreams).toBe(1)
    fixture.realtime.pass(1)
    expect(fixture.report.eventStreams).toBe(0)
    client.socket.resume()
    await client.closed
  })

  it('does not hold the server up when it closes', async () => {
    await fixture.realtime.stop()
    fixture = await StreamFixture.start({ closeTimeoutMs: 20 })
    const client = await fixture.open()
    await client.until(() => idsOf(client).length === 1)
    await fixture.stopReading(client)
    await fixture.realtime.gateway.close()
    expect(fixture.report.eventStreams).toBe(0)
    client.socket.resume()
    await client.closed
  })
})

describe('a reader that pauses longer than uWebSockets waits for a response to make progress', () => {
  // uWebSockets closes a response 8 to 12 s after a write that did not leave, and the sweep has to keep it open. Real time, for its timer
  // is native.
  it('is still connected after 14 s', async () => {
    const client = await fixture.open()
    await client.until(() => idsOf(client).length === 1)
    await fixture.stopReading(client)
    for (let second = 0; second < 14; second++) {
      await pause(1_000)
      fixture.realtime.pass(1)
    }
    expect(fixture.report.eventStreams).toBe(1)
    client.socket.resume()
    await client.until(() => idsOf(client).at(-1) === fixture.sequence)
    expectExact(fixture, client)
  })
})
