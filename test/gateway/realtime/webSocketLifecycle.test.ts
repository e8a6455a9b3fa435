import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { PING_AFTER_MS, UNRESPONSIVE_MS } from '#gateway/realtime/webSocketConnection.ts'
import { eventually, stepUntil } from '#test/support/eventually.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { RealtimeFixture } from './startRealtime.ts'

const TOKEN = addressOf(1)
const SUBSCRIBE = { type: 'subscribe', token: TOKEN }
const PING_SECONDS = PING_AFTER_MS / 1_000
const UNRESPONSIVE_SECONDS = UNRESPONSIVE_MS / 1_000

let fixture: RealtimeFixture

beforeEach(async () => {
  fixture = await RealtimeFixture.start()
  fixture.store(TOKEN, 7)
})

afterEach(() => fixture.stop())

describe('a silent client', () => {
  it('is pinged, and lives as long as it answers', async () => {
    const client = await fixture.client()
    for (let round = 1; round <= 10; round++) {
      fixture.pass(PING_SECONDS)
      await eventually(() => client.pings === round)
      // The pong has arrived when the answer to a later message has; the message itself would count as a sign of life as well.
      await client.settle()
    }
    expect(fixture.realtime.report().webSocketConnections).toBe(1)
  })

  it('lives by its pongs alone', async () => {
    const raw = await fixture.rawWebSocket()
    for (let round = 0; round < 6; round++) {
      fixture.pass(PING_SECONDS)
      const pings = () => raw.frames.filter(frame => frame.opcode === 0x89).length
      await raw.until(() => pings() === round + 1)
      raw.socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
      // Its answer comes after the pong was handled.
      raw.sendText('x')
      await raw.until(() => raw.messages.length === round + 1)
    }
    expect(fixture.realtime.report().webSocketConnections).toBe(1)
  })

  it('that answers nothing is closed after a minute with 4408, though it is sent updates', async () => {
    const raw = await fixture.rawWebSocket()
    raw.sendText(JSON.stringify(SUBSCRIBE))
    await raw.until(() => raw.frames.length >= 2)
    for (let second = 0; second < UNRESPONSIVE_SECONDS - 1; second++) {
      fixture.pass(1)
      fixture.commit(snapshotOf(TOKEN, 8 + second))
      await new Promise(setImmediate)
    }
    expect(fixture.realtime.report().webSocketConnections).toBe(1)
    fixture.pass(1)
    expect(fixture.realtime.report().webSocketConnections).toBe(0)
    await raw.closed
    expect(raw.frames.at(-1)?.payload.readUInt16BE(0)).toBe(4408)
    expect(raw.frames.filter(frame => frame.opcode === 0x89).length).toBeGreaterThanOrEqual(2)
  })
})

describe('closing the server', () => {
  it('sends what is owed, then closes with 1012', async () => {
    const client = await fixture.client()
    client.send(SUBSCRIBE)
    await client.nextInShort(2)
    fixture.commit(snapshotOf(TOKEN, 8))
    const closing = fixture.gateway.close()
    expect(await client.nextInShort(1)).toEqual(['update 8'])
    expect(await client.closed).toEqual({ code: 1012, reason: 'server restart' })
    await closing
    expect(fixture.realtime.report()).toMatchObject({ webSocketConnections: 0, subscriptions: 0 })
  })

  /** A client that does not read while an update of this sequence waits for it. */
  async function openLagging(service: RealtimeFixture) {
    const client = await service.rawWebSocket()
    client.sendText(JSON.stringify(SUBSCRIBE))
    await client.until(() => client.frames.length >= 2)
    client.socket.pause()
    let sequence = 7
    const commit = async () => {
      service.commit(snapshotOf(TOKEN, ++sequence, { description: 'd'.repeat(12_000) }))
      await new Promise(setImmediate)
    }
    await stepUntil(() => service.registry.get(TOKEN)?.subscribers.lagging === 1, commit)
    await commit()
    return { client, sequence }
  }

  it('waits for a slow reader to take the newest update', async () => {
    const { client, sequence } = await openLagging(fixture)
    const closing = fixture.gateway.close()
    client.socket.resume()
    await client.closed
    expect(client.frames.at(-1)?.payload.readUInt16BE(0)).toBe(1012)
    const last = client.messages.at(-1)
    expect(last?.type === 'token.update' && last.sequence).toBe(sequence)
    await closing
    expect(fixture.realtime.report().webSocketConnections).toBe(0)
  })

  it('does not wait for ever for a client that reads nothing', async () => {
    const impatient = await RealtimeFixture.start({}, { closeTimeoutMs: 20 })
    onTestFinished(() => impatient.stop())
    impatient.store(TOKEN, 7)
    await openLagging(impatient)
    await impatient.gateway.close()
    expect(impatient.realtime.report().webSocketConnections).toBe(0)
  })

  it('tells each client when to come back, spread over the drain time, after what it is owed', async () => {
    const draining = await RealtimeFixture.start({ drainSeconds: 8 })
    onTestFinished(() => draining.stop())
    draining.store(TOKEN, 7)
    const clients = await Promise.all([1, 2, 3, 4].map(() => draining.client()))
    for (const client of clients) {
      client.send(SUBSCRIBE)
      await client.nextInShort(2)
    }
    draining.commit(snapshotOf(TOKEN, 8))
    const closing = draining.gateway.close()
    const reasons = []
    for (const client of clients) {
      expect(await client.nextInShort(1)).toEqual(['update 8'])
      reasons.push(await client.closed)
    }
    expect(reasons.toSorted((a, b) => a.reason.localeCompare(b.reason))).toEqual(
      [0, 2_000, 4_000, 6_000].map(ms => ({ code: 4012, reason: `retry after ${ms} ms` })),
    )
    await closing
  })

  it('accepts no new connection', async () => {
    const client = await fixture.client()
    const closing = fixture.realtime.close()
    await client.closed
    const { status, headers } = await fixture.refusedClient().refused
    expect(status).toBe(503)
    expect(headers.get('retry-after')).not.toBeNull()
    await closing
  })

  it('can be repeated by a client that comes back with what it holds', async () => {
    const client = await fixture.client()
    client.send(SUBSCRIBE)
    expect(await client.nextInShort(2)).toEqual(['subscribed 7', 'update 7'])
    await fixture.gateway.close()
    expect((await client.closed).code).toBe(1012)
    await fixture.stop()
    fixture = await RealtimeFixture.start()
    fixture.store(TOKEN, 8)
    const again = await fixture.client()
    again.send({ ...SUBSCRIBE, sequence: 7 })
    expect(await again.nextInShort(2)).toEqual(['subscribed 8', 'update 8'])
    again.send({ ...SUBSCRIBE, sequence: 8 })
    expect(await again.settle()).toEqual(['subscribed 8'])
  })
})
