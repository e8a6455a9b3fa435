import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { type Client, EPOCH_MS, RealtimeFixture } from './startRealtime.ts'

const TOKEN = addressOf(1)

let fixture: RealtimeFixture
let client: Client

beforeEach(async () => {
  fixture = await RealtimeFixture.start()
  fixture.store(TOKEN, 7)
  client = await fixture.client()
})

afterEach(() => fixture.stop())

const SUBSCRIBE = JSON.stringify({ type: 'subscribe', token: TOKEN })

/** The connection lives: it is subscribed and gets an update. */
async function expectAlive(): Promise<void> {
  client.send(SUBSCRIBE)
  expect(await client.nextInShort(2)).toEqual(['subscribed 7', 'update 7'])
  fixture.commit(snapshotOf(TOKEN, 8))
  expect(await client.nextInShort(1)).toEqual(['update 8'])
}

describe('a bad message', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['words', 'hello', 'invalid_message'],
    ['nothing', '', 'invalid_message'],
    ['an array', `[${SUBSCRIBE}]`, 'invalid_message'],
    ['a broken object', SUBSCRIBE.slice(0, -1), 'invalid_message'],
    ['sixteen thousand opening brackets', '['.repeat(16_384), 'invalid_message'],
    ['objects three thousand deep', '{"a":'.repeat(3_000), 'invalid_message'],
    ['binary', Buffer.from(SUBSCRIBE), 'invalid_message'],
    ['random bytes', randomBytes(1_000), 'invalid_message'],
    ['no type', '{}', 'invalid_message'],
    ['an unknown type', '{"type":"publish"}', 'unknown_type'],
    ['a type of the server', '{"type":"token.update"}', 'unknown_type'],
    ['no token', '{"type":"subscribe"}', 'invalid_message'],
    ['a short token', '{"type":"subscribe","token":"0x12"}', 'invalid_token'],
    ['a negative sequence', `{"type":"subscribe","token":"${TOKEN}","sequence":-1}`, 'invalid_message'],
  ])('of %s gets an error, and the connection stays', async (_, message, code) => {
    client.send(message)
    expect(await client.next()).toMatchObject({ type: 'error', code, message: expect.any(String) })
    await expectAlive()
  })

  it('names the token that it concerns', async () => {
    client.send('{"type":"subscribe","token":"0x12"}')
    expect(await client.next()).toMatchObject({ code: 'invalid_token', token: '0x12' })
  })
})

describe('the id of a message', () => {
  it('comes back with its answers', async () => {
    client.send({ type: 'subscribe', token: TOKEN, id: 'a' })
    expect(await client.next()).toEqual({ type: 'subscribed', token: TOKEN, sequence: 7, id: 'a' })
    await client.next()
    for (const message of [SUBSCRIBE, { type: 'subscribe', token: TOKEN, sequence: 7, id: 'b' }]) client.send(message)
    expect(await client.next()).toEqual({ type: 'subscribed', token: TOKEN, sequence: 7 })
    expect(await client.next()).toEqual({ type: 'subscribed', token: TOKEN, sequence: 7, id: 'b' })
    client.send({ type: 'unsubscribe', token: TOKEN, id: 'c' })
    expect(await client.next()).toEqual({ type: 'unsubscribed', token: TOKEN, id: 'c' })
    client.send({ type: 'publish', id: 'd' })
    expect(await client.next()).toMatchObject({ type: 'error', id: 'd' })
    client.send({ type: 'ping' })
    client.send({ type: 'ping', id: 'e' })
    const pong = { type: 'pong', timestamp: new Date(EPOCH_MS).toISOString() }
    expect(await client.next()).toEqual(pong)
    expect(await client.next()).toEqual({ ...pong, id: 'e' })
  })

  it('finds its subscribe among others that wait for the same state', async () => {
    const unknown = addressOf(99)
    for (const id of ['a', undefined, 'c']) client.send({ type: 'subscribe', token: unknown, id })
    expect([await client.next(), await client.next(), await client.next()]).toEqual([
      { type: 'subscribed', token: unknown, sequence: null, id: 'a' },
      { type: 'subscribed', token: unknown, sequence: null },
      { type: 'subscribed', token: unknown, sequence: null, id: 'c' },
    ])
  })
})

describe('a subscription to many tokens', () => {
  it('is as many subscriptions', async () => {
    const tokens = Array.from({ length: 100 }, (_, n) => addressOf(100 + n))
    client.send({ type: 'subscribe', tokens, id: 'many' })
    const answers = []
    for (const _ of tokens) answers.push(await client.next())
    expect(new Set(answers.map(answer => 'token' in answer && answer.token))).toEqual(new Set(tokens))
    expect(answers.every(answer => answer.type === 'subscribed' && answer.id === 'many')).toBe(true)
  })
})

describe('framing', () => {
  it('accepts a message in fragments', async () => {
    for (const [index, byte] of [...SUBSCRIBE].entries()) client.socket.send(byte, { fin: index === SUBSCRIBE.length - 1, binary: false })
    expect(await client.nextInShort(2)).toEqual(['subscribed 7', 'update 7'])
  })

  it('accepts a ping between fragments', async () => {
    client.socket.send(SUBSCRIBE.slice(0, 10), { fin: false, binary: false })
    const pong = new Promise<string>(resolve => {
      client.socket.once('pong', data => resolve(data.toString()))
    })
    client.socket.ping('here')
    expect(await pong).toBe('here')
    client.socket.send(SUBSCRIBE.slice(10), { fin: true })
    expect(await client.nextInShort(2)).toEqual(['subscribed 7', 'update 7'])
  })

  it('accepts many messages in one packet, in order', async () => {
    const tokens = Array.from({ length: 20 }, (_, n) => addressOf(10 + n))
    for (const token of tokens) client.send({ type: 'unsubscribe', token })
    for (const token of tokens) expect(await client.next()).toEqual({ type: 'unsubscribed', token })
  })

  it.each([
    ['text that is not UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28])],
    ['reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
    ['an unknown opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ['a length of exabytes', Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
  ])('closes a connection that sends %s, and no other', async (_, bytes) => {
    const raw = await fixture.rawWebSocket()
    raw.socket.write(bytes)
    await raw.closed
    await expectAlive()
  })
})

describe('a message over 16,384 bytes', () => {
  const padded = (bytes: number) => `${SUBSCRIBE.slice(0, -1)},"x":"${'y'.repeat(bytes - SUBSCRIBE.length - 7)}"}`

  it('is told from one of 16,384', async () => {
    const message = padded(16_384)
    expect(Buffer.byteLength(message)).toBe(16_384)
    client.send(message)
    expect(await client.nextInShort(2)).toEqual(['subscribed 7', 'update 7'])
  })

  it.each([16_385, 20_000, 65_536, 300_000, 1_000_000])('of %i gets an error and the close code 1009', async bytes => {
    client.send(padded(bytes))
    expect(await client.nextInShort(1)).toEqual(['error message_too_large'])
    expect(await client.closed).toEqual({ code: 1009, reason: 'message too large' })
  })

  it('is found in fragments too', async () => {
    for (let fragment = 0; fragment < 5; fragment++) client.socket.send('z'.repeat(4_000), { fin: fragment === 4, binary: false })
    expect(await client.nextInShort(1)).toEqual(['error message_too_large'])
    expect((await client.closed).code).toBe(1009)
  })

  it('is refused in binary too', async () => {
    client.send(new Uint8Array(16_385))
    expect(await client.nextInShort(1)).toEqual(['error message_too_large'])
    expect((await client.closed).code).toBe(1009)
  })

  it('ends the connection where it is gigantic, without a word', async () => {
    client.send('x'.repeat(3_000_000))
    expect((await client.closed).code).toBe(1006)
    client = await fixture.client()
    await expectAlive()
  })
})
