import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UNRESPONSIVE_MS } from '#gateway/realtime/webSocketConnection.ts'
import { eventually, stepUntil } from '#test/support/eventually.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { type RawClient, RealtimeFixture } from './startRealtime.ts'

const TOKENS = [addressOf(1), addressOf(2), addressOf(3)]
/** Makes an update some 16 KB large, so that the kernel's buffers are full soon. */
const LARGE = { description: 'd'.repeat(12_000) }

let fixture: RealtimeFixture
let sequence: number

beforeEach(async () => {
  fixture = await RealtimeFixture.start()
  sequence = 0
})

afterEach(() => fixture.stop())

async function subscribedClient(): Promise<RawClient> {
  const client = await fixture.rawWebSocket()
  for (const token of TOKENS) client.sendText(JSON.stringify({ type: 'subscribe', token }))
  await client.until(() => client.frames.length === TOKENS.length)
  return client
}

/** Commits blocks that change every token, each in a tick of its own. */
async function commitBlocks(count: number): Promise<void> {
  for (let block = 0; block < count; block++) {
    sequence++
    fixture.commit(...TOKENS.map(token => snapshotOf(token, sequence, LARGE)))
    await new Promise(setImmediate)
  }
}

const lagging = () => TOKENS.map(token => fixture.registry.get(token)?.subscribers.lagging)

async function stopReading(client: RawClient): Promise<void> {
  client.socket.pause()
  const areLagging = () => lagging().every(count => count === 1)
  await stepUntil(areLagging, () => commitBlocks(20))
}

/** Commits that many blocks of which nothing is delivered: the kernel has room again when what it holds is acknowledged, a moment later. */
async function commitUndelivered(count: number): Promise<void> {
  const delivered = () => fixture.realtime.report().deliveredTotal
  let before = Number.NaN
  const commit = async () => {
    before = delivered()
    await commitBlocks(count)
  }
  await stepUntil(() => delivered() === before, commit)
}

describe('a slow WebSocket reader', () => {
  it('gets the newest update of every token when it reads again, in rising order, and none twice', async () => {
    const client = await subscribedClient()
    await stopReading(client)
    await commitUndelivered(50)
    expect(fixture.realtime.report().conflatedTotal).toBeGreaterThanOrEqual(3 * 49)
    client.socket.resume()
    await client.until(() => TOKENS.every(token => newestOf(client, token) === sequence))
    expect(lagging()).toEqual([0, 0, 0])
    for (const token of TOKENS) {
      const seen = sequencesOf(client, token)
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b))
      // What was committed while the socket was full came as one update.
      expect(seen.at(-1)).toBe(sequence)
      expect((seen.at(-1) ?? 0) - (seen.at(-2) ?? 0)).toBeGreaterThanOrEqual(50)
    }
    const { deliveredTotal, conflatedTotal } = fixture.realtime.report()
    expect(deliveredTotal).toBe(client.messages.filter(message => message.type === 'token.update').length)
    expect(deliveredTotal + conflatedTotal).toBe(3 * sequence)
    const conflatedOf = TOKENS.map(token => fixture.registry.get(token)?.conflated ?? 0)
    expect(conflatedOf.reduce((sum, count) => sum + count, 0)).toBe(conflatedTotal)
    expect(Math.min(...conflatedOf)).toBeGreaterThanOrEqual(49)
    await commitBlocks(1)
    await client.until(() => TOKENS.every(token => newestOf(client, token) === sequence))
  })

  it('holds no other client up', async () => {
    const slow = await subscribedClient()
    const quick = await fixture.client()
    quick.send({ type: 'subscribe', token: addressOf(1) })
    await quick.nextInShort(1)
    await stopReading(slow)
    await commitBlocks(1)
    await eventually(() => {
      const last = quick.received.at(-1)
      return last?.type === 'token.update' && last.sequence === sequence
    })
    expect(quick.received.filter(message => message.type === 'token.update')).toHaveLength(sequence)
  })

  it('costs a bounded amount of memory', async () => {
    const client = await subscribedClient()
    await stopReading(client)
    await commitUndelivered(500)
    expect(lagging()).toEqual([1, 1, 1])
  })

  it('gets no update of a token after it has unsubscribed from it', async () => {
    const client = await subscribedClient()
    await stopReading(client)
    client.sendText(JSON.stringify({ type: 'unsubscribe', token: TOKENS[0] }))
    await eventually(() => fixture.realtime.report().subscriptions === 2)
    const atUnsubscribe = sequence
    await commitBlocks(10)
    client.socket.resume()
    await client.until(() => newestOf(client, addressOf(3)) === sequence)
    const messages = client.messages
    const unsubscribed = messages.findIndex(message => message.type === 'unsubscribed')
    expect(unsubscribed).toBeGreaterThan(0)
    const after = messages.slice(unsubscribed).filter(message => message.type === 'token.update' && message.token.address === TOKENS[0])
    expect(after).toEqual([])
    expect(newestOf(client, addressOf(1))).toBeLessThanOrEqual(atUnsubscribe)
  })

  it('is closed with 4408 when it has read nothing for a minute', async () => {
    const client = await subscribedClient()
    await stopReading(client)
    fixture.pass(UNRESPONSIVE_MS / 1_000 - 1)
    expect(fixture.realtime.report().webSocketConnections).toBe(1)
    fixture.pass(1)
    expect(fixture.realtime.report().webSocketConnections).toBe(0)
    expect(fixture.registry.health().subscribers).toBe(0)
    client.socket.resume()
    await client.closed
    const close = client.frames.at(-1)
    expect(close?.opcode).toBe(0x88)
    expect(close?.payload.readUInt16BE(0)).toBe(4408)
  })

  it('is not closed as long as it reads now and then', async () => {
    const client = await subscribedClient()
    for (let round = 0; round < 3; round++) {
      await stopReading(client)
      fixture.pass(50)
      client.socket.resume()
      await client.until(() => TOKENS.every(token => newestOf(client, token) === sequence))
    }
    expect(fixture.realtime.report().webSocketConnections).toBe(1)
  })

  it('that asks on without reading the answers is closed', async () => {
    await fixture.stop()
    fixture = await RealtimeFixture.start({ maxMessagesPerSecond: 1_000 })
    const client = await subscribedClient()
    await stopReading(client)
    const ask = async () => {
      for (let n = 0; n < 1_100; n++) client.sendText(JSON.stringify({ type: 'unsubscribe', token: addressOf(9) }))
      await new Promise(setImmediate)
      // So that it is not closed for the number of its messages.
      fixture.nowMs += 2_000
    }
    await stepUntil(() => fixture.realtime.report().webSocketConnections === 0, ask)
    client.socket.resume()
    await client.closed
    expect(client.frames.at(-1)?.opcode).toBe(0x88)
    expect(client.frames.at(-1)?.payload.readUInt16BE(0)).toBe(4408)
  })
})

function sequencesOf(client: RawClient, token: string): readonly number[] {
  return client.messages.flatMap(message => (message.type === 'token.update' && message.token.address === token ? [message.sequence] : []))
}

function newestOf(client: RawClient, token: string): number {
  return sequencesOf(client, token).at(-1) ?? 0
}
