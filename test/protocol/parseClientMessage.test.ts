import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseClientMessage } from '#protocol/parseClientMessage.ts'
import { clientMessageSchema, errorSchema } from '#protocol/schemas/messages.ts'

const TOKEN = '0x00000000000000000000000000000000000000aB'
const LOWER = TOKEN.toLowerCase()

const parse = (text: string) => parseClientMessage(new TextEncoder().encode(text), false)
const parseValue = (value: unknown) => parse(JSON.stringify(value))

describe('parseClientMessage', () => {
  it('reads a subscription, with the address in lower case', () => {
    expect(parseValue({ type: 'subscribe', token: TOKEN })).toEqual({ type: 'subscribe', token: LOWER, sequence: null })
    expect(parseValue({ type: 'subscribe', token: TOKEN, sequence: 0 })).toEqual({ type: 'subscribe', token: LOWER, sequence: 0 })
    expect(parseValue({ type: 'unsubscribe', token: TOKEN })).toEqual({ type: 'unsubscribe', token: LOWER })
  })

  it('ignores fields that it does not know', () => {
    const message = { type: 'unsubscribe', token: TOKEN, sequence: 'x', constructor: 1, id: [1] }
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
    expect(parse(`{"__proto__":{"token":"${TOKEN}"},"type":"unsubscribe"}`)).toMatchObject({ code: 'invalid_token' })
  })

  it('answers binary and broken UTF-8 with invalid_message', () => {
    const good = new TextEncoder().encode(`{"type":"unsubscribe","token":"${TOKEN}"}`)
    expect(parseClientMessage(good, true)).toMatchObject({ code: 'invalid_message' })
    const broken = Uint8Array.of(...new TextEncoder().encode('{"type":"'), 0xc3, 0x28, ...new TextEncoder().encode('"}'))
    expect(parseClientMessage(broken, false)).toMatchObject({ code: 'invalid_message' })
  })

  it.each(['token.update', 'ping', '', '__proto__', 'toString'])('answers the type %j with unknown_type', type => {
    expect(parseValue({ type, token: TOKEN })).toMatchObject({ type: 'error', code: 'unknown_type' })
  })

  it('repeats a short malformed token and no long one', () => {
    expect(parseValue({ type: 'subscribe', token: '0x12' })).toMatchObject({ code: 'invalid_token', token: '0x12' })
    expect(parseValue({ type: 'subscribe', token: 'x'.repeat(65) })).not.toHaveProperty('token')
    expect(parse('{"type":"subscribe","token":"\\ud800"}')).toMatchObject({ code: 'invalid_token', token: '\ufffd' })
    expect(parseValue({ type: 'subscribe', token: [TOKEN] })).toMatchObject({ code: 'invalid_token' })
    expect(parseValue({ type: 'subscribe' })).toMatchObject({ code: 'invalid_token' })
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
          type: fc.oneof(fc.constantFrom('subscribe', 'unsubscribe'), fc.string()),
          token: fc.oneof(address, fc.jsonValue()),
          sequence: fc.oneof(fc.maxSafeInteger(), fc.nat(), fc.jsonValue()),
          other: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(message, value => {
        const parsed = parseValue(value)
        const expected = clientMessageSchema.safeParse(JSON.parse(JSON.stringify(value)))
        expect(parsed.type !== 'error').toBe(expected.success)
        if (parsed.type === 'error') expect(errorSchema.safeParse(parsed).success).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})
