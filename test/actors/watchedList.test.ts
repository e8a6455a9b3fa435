import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_LIST_MESSAGES, WatchedList } from '#actors/lists.ts'
import { MAX_LONG_LIST_ROWS, MAX_MESSAGE_BYTES } from '#protocol/limits.ts'

const rows = (...names: readonly string[]) => names.map(name => JSON.stringify([name, 'x'.repeat(200)]))
const first = new WatchedList({ sequence: 1, asOfBlock: '10', rows: rows('a', 'b', 'c') }, null)
const second = new WatchedList({ sequence: 2, asOfBlock: '11', rows: rows('b', 'a', 'c') }, first.target)
const third = new WatchedList({ sequence: 3, asOfBlock: '12', rows: rows('b', 'a', 'd') }, second.target)
const sent = ({ kind, fields }: WatchedList) => ({ kind, ...(JSON.parse(`{${fields}}`) as object) })

test('a change replaces an unsent one as the change of what the client was sent', () => {
  expect(sent(second)).toEqual({ kind: '.delta', base: 1, asOfBlock: '11', data: [1, 0, 2] })
  expect(sent(third.replacing(second))).toMatchObject({ kind: '.delta', base: 1, data: [1, 0, ['d', expect.anything()]] })
  expect(sent(third)).toMatchObject({ kind: '.delta', base: 2, data: [0, 1, ['d', expect.anything()]] })
})

test('a client that has nothing gets the whole list, also in place of an unsent one', () => {
  expect(sent(third.whole)).toMatchObject({
    kind: '',
    asOfBlock: '12',
    data: [
      ['b', expect.anything()],
      ['a', expect.anything()],
      ['d', expect.anything()],
    ],
  })
  expect(sent(third.replacing(first))).toEqual(sent(third.whole))
  expect(third.replacing(first).sequence).toBe(3)
})

/** A client that merges changes as the documents say. */
class Holder {
  sequence = 0
  rows: readonly string[] = []

  /** Takes messages of a state until it is complete, or so many. Returns what is left. */
  take(state: WatchedList, most = MAX_LIST_MESSAGES): WatchedList | null {
    let left: WatchedList | null = state
    for (let taken = 0; left !== null && taken < most; taken++, left = left.rest) {
      const { base, data } = JSON.parse(`{${left.fields}}`) as { base?: number; data: readonly (number | unknown[])[] }
      expect(Buffer.byteLength(left.fields)).toBeLessThan(MAX_MESSAGE_BYTES - 512)
      expect(left.sequence).toBeGreaterThan(this.sequence)
      expect(base).toBe(left.kind === '' ? undefined : this.sequence)
      this.rows = data.map(entry => (typeof entry === 'number' ? (this.rows[entry] ?? expect.unreachable()) : JSON.stringify(entry)))
      expect(new Set(this.rows.map(row => row.slice(0, row.indexOf(',')))).size).toBe(this.rows.length)
      this.sequence = left.sequence
    }
    return left
  }
}

const longList = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 250 }), fc.integer({ min: 10, max: 280 }), fc.nat(3)), {
  selector: ([token]) => token,
  maxLength: MAX_LONG_LIST_ROWS,
  size: 'max',
})
const toRows = (list: readonly (readonly number[])[]) =>
  list.map(([token = 0, length, version]) => JSON.stringify([`0x${token}`, 'é'.repeat((length ?? 0) / 2), version]))

test('a long list comes as several messages that lead to it, also when another one replaces it in between', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(longList, fc.integer({ min: 1, max: MAX_LIST_MESSAGES })), { minLength: 2, maxLength: 4 }), lists => {
      const holder = new Holder()
      let unsent: WatchedList | null = null
      let base: WatchedList['target'] | null = null
      for (const [index, [list, most]] of lists.entries()) {
        const target = { sequence: (index + 1) * MAX_LIST_MESSAGES, asOfBlock: '1', rows: toRows(list) }
        const state: WatchedList = new WatchedList(target, base)
        unsent = holder.take(unsent === null ? state : state.replacing(unsent), most)
        if (unsent === null) expect(holder).toMatchObject({ sequence: target.sequence, rows: target.rows })
        base = target
      }
      if (unsent !== null) expect(holder.take(unsent)).toBeNull()
      expect(holder.rows).toEqual(base?.rows)
    }),
    { numRuns: 60 },
  )
})
