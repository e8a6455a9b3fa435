import { expect, it } from 'vitest'
import { toAddress } from '#domain/address.ts'
import { createWatchNotices } from '#worker/startIndexing.ts'

const A = toAddress(`0x${'a'.repeat(40)}`)
const B = toAddress(`0x${'b'.repeat(40)}`)

function fixture() {
  const sent: { began: readonly string[]; ended: readonly string[] }[] = []
  const due: (() => void)[] = []
  const notices = createWatchNotices({ send: (began, ended) => sent.push({ began, ended }), soon: callback => due.push(callback) })
  return { notices, sent, turn: () => due.splice(0).forEach(callback => callback()) }
}

it('tells in one notice what a turn has changed', () => {
  const { notices, sent, turn } = fixture()
  notices.began(A)
  notices.began(B)
  expect(sent).toEqual([])
  turn()
  expect(sent).toEqual([{ began: [A, B], ended: [] }])
})

it('sends no second notice before the first has arrived, and then what holds by then', () => {
  const { notices, sent, turn } = fixture()
  notices.began(A)
  turn()
  notices.ended(A)
  notices.began(B)
  notices.ended(B)
  notices.began(A)
  turn()
  expect(sent).toHaveLength(1)
  notices.acknowledged()
  expect(sent.slice(1)).toEqual([{ began: [A], ended: [B] }])
  notices.acknowledged()
  turn()
  expect(sent).toHaveLength(2)
})

it('begins again after it had nothing to tell', () => {
  const { notices, sent, turn } = fixture()
  notices.began(A)
  turn()
  notices.acknowledged()
  notices.ended(A)
  turn()
  expect(sent.slice(1)).toEqual([{ began: [], ended: [A] }])
})
