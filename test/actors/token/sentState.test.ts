import { expect, it } from 'vitest'
import { FramedSnapshot, SentStates } from '#actors/token/frame.ts'
import type { TokenDelta } from '#protocol/encodeUpdate.ts'
import { addressOf, recentOf, snapshotOf, tradeOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(1)

/** The frames of one token, one after the other. */
function framesOf(sequences: readonly number[]) {
  const sentStates = new SentStates()
  return sequences.map(sequence => new FramedSnapshot(snapshotOf(TOKEN, sequence), null, sentStates).frame('3000'))
}

const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as TokenDelta

it('makes a delta once for all that were sent the same state', () => {
  const [first, second] = framesOf([1, 2])
  const sent = first?.received(null)
  if (sent === undefined || second === undefined) throw new RangeError('no frame')
  first?.received(null)
  const delta = second.from(sent)
  second.received(sent)
  expect(second.from(sent)).toBe(delta)
  expect(parse(delta.webSocket)).toEqual({
    type: 'token.delta',
    token: TOKEN,
    base: 1,
    sequence: 2,
    patch: { sequence: 2 },
    holders: { set: [], removed: [] },
    reason: 'chain',
    sourceBlock: '456',
    timestamp: '2026-01-02T03:04:08.123Z',
    trades: [],
  })
  expect(new TextDecoder().decode(delta.eventStream)).toMatch(/^event: token\.delta\nid: 2\ndata: \{"type":"token\.delta"/)
})

it('keeps no state that no reader was sent last, and at most eight of a thousand', () => {
  const frames = framesOf(Array.from({ length: 1_001 }, (_, index) => index + 1))
  const [newest, ...earlier] = frames.toReversed()
  if (newest === undefined) throw new RangeError('no frame')
  const sent = earlier.toReversed().map(frame => frame.received(null))
  sent[999]?.release()
  expect(sent.flatMap(({ update }) => update?.sequence ?? [])).toEqual([993, 994, 995, 996, 997, 998, 999])
  const messages = sent.map(state => newest.from(state))
  expect(messages.map(({ webSocket }) => parse(webSocket).type === 'token.delta')).toEqual(sent.map(({ update }) => update !== null))
  // All that lag too far share a full update.
  expect(new Set(messages).size).toBe(8)
})

it('sends a full update that is smaller, that is not newer, and where the newest trade does not follow from the trades', () => {
  const sentStates = new SentStates()
  const snapshot = snapshotOf(TOKEN, 1)
  const frame = (change: Partial<typeof snapshot>) => new FramedSnapshot({ ...snapshot, ...change }, null, sentStates).frame(null)
  const sent = frame({}).received(null)
  const { token } = snapshotOf(TOKEN, 2)
  const typeFrom = (change: Partial<typeof snapshot>) => parse(frame({ token, ...change }).from(sent).webSocket).type
  expect(typeFrom({})).toBe('token.delta')
  expect(parse(frame({}).withoutHolders.from(sent).webSocket).type).toBe('token.update')
  expect(typeFrom({ recent: { ...recentOf([]), reorgs: 1, voidFrom: [456] } })).toBe('token.update')
  const trades = [{ ...tradeOf(TOKEN), blockNumber: '457' }]
  expect(typeFrom({ recent: recentOf(trades) })).toBe('token.delta')
  expect(typeFrom({ recent: { ...recentOf(trades), after: { blockNumber: 456, logIndex: 13 } } })).toBe('token.update')
  const bare = { ...snapshot, recent: recentOf([]) }
  const holders = bare.holders.map((holder, index) => ({ ...holder, address: addressOf(0x2000 + index) }))
  /** Another value in each field that has a text. */
  const renamed = JSON.parse(JSON.stringify(token).replaceAll(/"(?=[,}])/g, '1"')) as typeof token
  const other = frame({ ...bare, token: renamed, holders })
  expect(parse(other.from(frame(bare).received(null)).webSocket).type).toBe('token.update')
})
