import assert from 'node:assert/strict'
import type { MicroBenchmark, MicroTask } from '#benchmarks/micro/microBenchmark.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import { type ParsedMessage, parseClientMessage } from '#protocol/parseClientMessage.ts'
import { addressOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(0xabc)
const encoder = new TextEncoder()

export const parseClientMessageBenchmark: MicroBenchmark = {
  name: 'parse a client message',
  about: 'parses the bytes of a WebSocket message into a command or an error',
  tasks: () => [
    parse('subscribe with a sequence', JSON.stringify({ type: 'subscribe', token: TOKEN, sequence: 1_795_000_000_123 }), {
      type: 'subscribe',
      tokens: [TOKEN],
      sequence: 1_795_000_000_123,
      holders: true,
    }),
    parse('unsubscribe', JSON.stringify({ type: 'unsubscribe', token: TOKEN }), { type: 'unsubscribe', token: TOKEN }),
    parse('a bad address', JSON.stringify({ type: 'subscribe', token: '0x12' }), {
      type: 'error',
      code: 'invalid_token',
      message: 'the token must be an address: 0x and 40 hex digits',
      token: '0x12',
    }),
    parse('16 KB of rubbish', 'x'.repeat(MAX_MESSAGE_BYTES), NOT_AN_OBJECT),
    // The most expensive invalid message: only its last byte makes it invalid.
    parse('16 KB that break at the end', `{"type":"${'x'.repeat(MAX_MESSAGE_BYTES - 10)}"`, NOT_AN_OBJECT),
  ],
}

const NOT_AN_OBJECT: ParsedMessage = { type: 'error', code: 'invalid_message', message: 'a message must be a JSON object' }

function parse(name: string, text: string, expected: ParsedMessage): MicroTask {
  const bytes = encoder.encode(text)
  return {
    name,
    batch: 100,
    check: () => {
      assert.ok(bytes.length <= MAX_MESSAGE_BYTES)
      assert.deepEqual(parseClientMessage(bytes, false), expected)
    },
    run: () => parseClientMessage(bytes, false),
  }
}
