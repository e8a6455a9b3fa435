import assert from 'node:assert/strict'
import { feedBlock } from '#benchmarks/servers/feed.ts'
import { applyDelta } from '#protocol/applyDelta.ts'
import { encodeDelta } from '#protocol/encodeDelta.ts'
import { encodeUpdate, type TokenDelta, type TokenUpdate } from '#protocol/encodeUpdate.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import { tokenDeltaSchema, tokenUpdateSchema } from '#protocol/schemas/messages.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { updateBytes } from '#test/support/frames.ts'
import { addressOf, recentOf, snapshotOf } from '#test/support/snapshots.ts'
import type { MicroBenchmark, MicroTask } from './microBenchmark.ts'

const TOKEN = addressOf(1)
const SEQUENCE = 1_795_000_000_123
const LONG = 40_000

export const encodeUpdateBenchmark: MicroBenchmark = {
  name: 'encode an update',
  about: 'encodes a token, its latest trade and its holders as JSON in UTF-8, at most 16,384 bytes; or what has changed of them',
  tasks: () => {
    const full = snapshotOf(TOKEN, SEQUENCE)
    const small: TokenSnapshot = { ...full, recent: recentOf([]), holders: [] }
    const withText = (description: string) => snapshotOf(TOKEN, SEQUENCE, { description })
    return [
      encode('2 KB: a new token', small, (update, bytes) => {
        assert.ok(bytes > 2_000 && bytes < 2_200, `${bytes} bytes are not small`)
        assert.equal(update.holders.length, 0)
      }),
      encode('6.3 KB: a trade and 20 holders', full, (update, bytes) => {
        assert.ok(bytes > 6_200 && bytes < 6_500, `${bytes} bytes are not usual`)
        assert.deepEqual(update.holders, full.holders)
        assert.deepEqual(update.token, full.token)
      }),
      delta(),
      encode('trimmed: holders', withText('d'.repeat(13_000)), (update, bytes) => {
        assert.ok(bytes > MAX_MESSAGE_BYTES - 200, `${bytes} bytes: more was cut than needed`)
        assert.ok(update.holders.length > 0 && update.holders.length < 20)
      }),
      encode('trimmed: texts in ASCII', withText('d'.repeat(LONG)), cutText),
      encode('trimmed: texts in emoji', withText('🪙'.repeat(LONG / 2)), cutText),
    ]
  },
}

function cutText(update: TokenUpdate, bytes: number): void {
  assert.ok(bytes > MAX_MESSAGE_BYTES - 200, `${bytes} bytes: more was cut than needed`)
  assert.equal(update.holders.length, 0)
  const length = update.token.description?.length ?? 0
  assert.ok(length > 1_000 && length < LONG)
}

/** From one state of a traded token to the next. */
function delta(): MicroTask {
  const [before, after] = [1, 2].map(block => {
    const [snapshot] = feedBlock(block, { touched: 1, tokens: 1, size: 'traded' })
    assert.ok(snapshot !== undefined)
    return { trades: snapshot.recent.trades, update: encodeUpdate(snapshot).update }
  })
  assert.ok(before !== undefined && after !== undefined)
  const run = () => encodeDelta(before.update, after.update, { trades: after.trades, replacedFrom: null })
  return {
    name: 'delta: a trade and 3 of 20 holders',
    batch: 10,
    check: () => {
      const made = JSON.parse(new TextDecoder().decode(run() ?? undefined)) as TokenDelta
      tokenDeltaSchema.parse(made)
      assert.deepEqual(applyDelta(before.update, made).token, after.update.token)
      assert.equal(made.holders.set.length, 3)
    },
    run,
  }
}

function encode(name: string, snapshot: TokenSnapshot, check: (update: TokenUpdate, bytes: number) => void): MicroTask {
  return {
    name,
    batch: 10,
    check: () => {
      const bytes = updateBytes(snapshot)
      assert.ok(bytes.length <= MAX_MESSAGE_BYTES, `${bytes.length} bytes pass the bound`)
      const update = tokenUpdateSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
      assert.equal(update.sequence, SEQUENCE)
      assert.equal(update.token.address, TOKEN)
      check(update, bytes.length)
    },
    run: () => updateBytes(snapshot),
  }
}
