import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseClientMessage } from '#protocol/parseClientMessage.ts'
import { unsubscribeChannelSchema } from '#protocol/schemas/channels.ts'
import {
  clientMessageSchema,
  errorSchema,
  pingSchema,
  subscribeSchema,
  subscribeTokensSchema,
  unsubscribeSchema,
} from '#protocol/schemas/messages.ts'

const TOKEN = '0x00000000000000000000000000000000000000aB'
const LOWER = TOKEN.toLowerCase()

const parse = (text: string) => parseClientMessage(new TextEncoder().encode(text), false)
const parseValue = (value: unknown) => parse(JSON.stringify(value))

describe('parseClientMessage', () => {
  it('reads a subscription, with the address in lower case', () => {
    const subscribed = { type: 'subscribe', tokens: [LOWER], holders: true, delta: false, minIntervalMs: 0 }
    expect(parseValue({ type: 'subscribe', token: TOKEN })).toEqual({ ...subscribed, sequence: null })
    expect(parseValue({ type: 'subscribe', token: TOKEN, sequence: 0 })).toEqual({ ...subscribed, sequence: 0 })
    expect(parseValue({ type: 'subscribe', token: TOKEN, holders: false })).toEqual({ ...subscribed, sequence: null, holders: false })
    expect(parseValue({ type: 'subscribe', token: TOKEN, delta: true })).toEqual({ ...subscribed, sequence: null, delta: true })
    expect(parseValue({ type: 'unsubscribe', token: TOKEN })).toEqual({ type: 'unsubscribe', token: LOWER })
  })

  it.each([null, 0, 'false'])('refuses holders, and deltas, of %j', value => {
    const refused = { code: 'invalid_message', token: TOKEN }
    expect(parseValue({ type: 'subscribe', token: TOKEN, holders: value })).toMatchObject(refused)
    expect(parseValue({ type: 'subscribe', token: TOKEN, delta: value })).toMatchObject(refused)
    expect(parseValue({ type: 'subscribe', tokens: [TOKEN], delta: value })).toMatchObject({ code: 'invalid_message' })
  })

  it.each([-1, 1.5, 60_001, '1000', null, true])('refuses %j as the least time between messages', minIntervalMs => {
    const refused = { code: 'invalid_message', message: 'minIntervalMs must be a whole number from 0 to 60000' }
    expect(parseValue({ type: 'subscribe', token: TOKEN, minIntervalMs })).toMatchObject({ ...refused, token: TOKEN })
    expect(parseValue({ type: 'subscribe', tokens: [TOKEN], minIntervalMs })).toMatchObject(refused)
    expect(parseValue({ type: 'subscribe', channel: 'trades', minIntervalMs })).toMatchObject(refused)
  })

  it('reads a subscription to a hundred tokens, and refuses one to none or more', () => {
    const tokens = Array.from({ length: 100 }, (_, n) => `${TOKEN.slice(0, -2)}${String(n).padStart(2, '0')}`)
    const lower = tokens.map(token => token.toLowerCase())
    expect(parseValue({ type: 'subscribe', tokens })).toEqual({
      type: 'subscribe',
      tokens: lower,
      sequence: null,
      holders: true,
      delta: false,
      minIntervalMs: 0,
    })
    expect(parseValue({ type: 'subscribe', tokens: [...tokens, TOKEN] })).toMatchObject({ code: 'invalid_message' })
    for (const wrong of [[], {}, TOKEN, null]) expect(parseValue({ type: 'subscribe', tokens: wrong })).toHaveProperty('code')
    expect(parseValue({ type: 'subscribe', tokens: [TOKEN, '0x12'] })).toMatchObject({ code: 'invalid_token', token: '0x12' })
  })

  it('repeats the id of a message, of a wrong one too', () => {
    expect(parseValue({ type: 'ping' })).toEqual({ type: 'ping' })
    for (const message of [{ type: 'ping' }, { type: 'subscribe', token: TOKEN }, { type: 'unsubscribe', token: 'x' }, { type: 'y' }, {}]) {
      expect(parseValue({ ...message, id: 'a"b' })).toMatchObject({ id: 'a"b' })
    }
    expect(parseValue({ type: 'ping', id: 'x'.repeat(64) })).toMatchObject({ type: 'ping' })
    for (const id of ['x'.repeat(65), 1, null, {}]) {
      expect(parseValue({ type: 'ping', id })).toEqual({
        type: 'error',
        code: 'invalid_message',
        message: expect.stringContaining('the id'),
      })
    }
  })

  it('reads a subscription to a channel, and the end of one by id or channel', () => {
    const subscribe = { type: 'subscribe', channel: 'trades', filters: { side: 'buy' }, after: '1-2', reorgs: 3, id: 'a' }
    expect(parseValue(subscribe)).toEqual({ ...subscribe, type: 'subscribeChannel', minIntervalMs: 0 })
    expect(parseValue({ type: 'subscribe', channel: 'blocks' })).toMatchObject({ code: 'invalid_message' })
    for (const message of [{ id: 'a' }, { channel: 'trades', id: 'a' }])
      expect(parseValue({ type: 'unsubscribe', ...message })).toEqual({ type: 'unsubscribeChannel', id: 'a' })
    expect(parseValue({ type: 'unsubscribe', channel: 'trades' })).toEqual({ type: 'unsubscribeChannel', id: 'trades' })
    expect(parseValue({ type: 'unsubscribe', channel: 'blocks', id: 'a' })).toMatchObject({ code: 'invalid_message' })
  })

  it('ignores fields that it does not know', () => {
    const message = { type: 'unsubscribe', token: TOKEN, sequence: 'x', constructor: 1, tokens: 'x' }
    expect(parseValue(message)).toEqual({ type: 'unsubscribe', token: LOWER })
  })

  it('accepts whitespace and a byte order mark around the object', () => {
    expect(parse(` \r\n\t{"type":"unsubscribe","token":"${TOKEN}"}\n`)).toMatchObject({ type: 'unsubscribe' })
  })

  it.each([
    ['an empty message', ''],
    ['whitespace', '  \n'],
    ['words', 'hello'],
    ['a number', '12'],
    ['null', 'null'],
    ['a string', '"subscribe"'],
    ['an array', `[{"type":"subscribe","token":"${TOKEN}"}]`],
    ['an array that is an object to JavaScript', '[]'],
    ['an unfinished object', '{"type":"subscribe"'],
    ['two objects', '{}{}'],
    ['an object without a type', '{}'],
    ['a type that is no string', '{"type":1}'],
    ['sixteen thousand opening brackets', '['.repeat(16_384)],
    ['sixteen thousand opening braces', '{"a":'.repeat(3_276)],
    ['a type that is inherited', '{"__proto__":{"type":"subscribe"}}'],
  ])('answers %s with invalid_message', (_, text) => {
    expect(parse(text)).toMatchObject({ type: 'error', code: 'invalid_message' })
  })

  it('accepts what is deeply nested in a field that it ignores', () => {
    const deep = '['.repeat(8_000) + ']'.repeat(8_000)
    expect(parse(`{"type":"unsubscribe","token":"${TOKEN}","x":${deep}}`)).toMatchObject({ type: 'unsubscribe' })
  })

  it('leaves the prototype of objects alone', () => {
    expect(parse(`{"__proto__":{"polluted":true},"type":"unsubscribe","token":"${TOKEN}"}`)).toEqual({ type: 'unsubscribe', token: LOWER })
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    expect(parse(`{"__proto__":{"token":"${TOKEN}"},"type":"unsubscribe"}`)).toMatchObject({ code: 'invalid_message' })
  })

  it('answers binary and broken UTF-8 with invalid_message', () => {
    const good = new TextEncoder().encode(`{"type":"unsubscribe","token":"${TOKEN}"}`)
    expect(parseClientMessage(good, true)).toMatchObject({ code: 'invalid_message' })
    const broken = Uint8Array.of(...new TextEncoder().encode('{"type":"'), 0xc3, 0x28, ...new TextEncoder().encode('"}'))
    expect(parseClientMessage(broken, false)).toMatchObject({ code: 'invalid_message' })
  })

  it.each(['token.update', 'pong', '', '__proto__', 'toString'])('answers the type %j with unknown_type', type => {
    expect(parseValue({ type, token: TOKEN })).toMatchObject({ type: 'error', code: 'unknown_type' })
  })

  it('repeats a short malformed token and no long one', () => {
    expect(parseValue({ type: 'subscribe', token: '0x12' })).toMatchObject({ code: 'invalid_token', token: '0x12' })
    expect(parseValue({ type: 'subscribe', token: 'x'.repeat(65) })).not.toHaveProperty('token')
    expect(parse('{"type":"subscribe","token":"\\ud800"}')).toMatchObject({ code: 'invalid_token', token: '\ufffd' })
    expect(parseValue({ type: 'subscribe', token: [TOKEN] })).toMatchObject({ code: 'invalid_token' })
    expect(parseValue({ type: 'subscribe' })).toMatchObject({
      code: 'invalid_message',
      message: 'a subscribe must have a token, tokens or a channel',
    })
    expect(parseValue({ type: 'subscribe', token: `${TOKEN}\n` })).toMatchObject({ code: 'invalid_token' })
  })

  it.each([-1, 1.5, 2 ** 53, '7', true, [], {}])('answers the sequence %j with invalid_message', sequence => {
    expect(parseValue({ type: 'subscribe', token: TOKEN, sequence })).toMatchObject({ code: 'invalid_message', token: TOKEN })
  })

  it('reads a message of 16,384 bytes and refuses one of 16,385', () => {
    const frame = (bytes: number) => {
      const empty = `{"type":"unsubscribe","token":"${TOKEN}","x":""}`
      return `${empty.slice(0, -2)}${'y'.repeat(bytes - empty.length)}"}`
    }
    expect(parse(frame(16_384))).toMatchObject({ type: 'unsubscribe' })
    expect(parse(frame(16_385))).toMatchObject({ type: 'error', code: 'message_too_large' })
    expect(parseClientMessage(new Uint8Array(16_385), true)).toMatchObject({ code: 'message_too_large' })
  })

  it('answers any bytes with a message or an error that fits its schema', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isBinary) => {
        expect(errorSchema.safeParse(parseClientMessage(bytes, isBinary)).success).toBe(true)
      }),
    )
  })

  it('takes from any JSON exactly what the schema takes', () => {
    const address = fc.oneof(fc.constantFrom(TOKEN, LOWER, '0x12', `${TOKEN}0`), fc.string())
    const message = fc.oneof(
      fc.record(
        {
          type: fc.oneof(fc.constantFrom('subscribe', 'unsubscribe', 'ping'), fc.string()),
          id: fc.oneof(fc.string({ maxLength: 66 }), fc.jsonValue()),
          token: fc.oneof(address, fc.jsonValue()),
          tokens: fc.oneof(fc.array(address, { maxLength: 101, size: 'max' }), fc.jsonValue()),
          sequence: fc.oneof(fc.maxSafeInteger(), fc.nat(), fc.jsonValue()),
          channel: fc.oneof(fc.constantFrom('trades', 'list', 'blocks'), fc.jsonValue()),
          other: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(message, value => {
        const parsed = parseValue(value)
        const expected = schemaOf(JSON.parse(JSON.stringify(value))).safeParse(JSON.parse(JSON.stringify(value)))
        expect(parsed.type !== 'error').toBe(expected.success)
        if (parsed.type === 'error') expect(errorSchema.safeParse(parsed).success).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})

/** What a message is about: its token, or else its tokens, or else its channel. */
function schemaOf(value: unknown): z.ZodType {
  if (typeof value !== 'object' || value === null) return clientMessageSchema
  if ('token' in value) return z.union([subscribeSchema, unsubscribeSchema, pingSchema])
  return 'tokens' in value ? z.union([subscribeTokensSchema, unsubscribeChannelSchema, pingSchema]) : clientMessageSchema
}
