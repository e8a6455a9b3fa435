import { describe, expect, it } from 'vitest'
import { feedBlock, feedSequence } from '#benchmarks/macro/feed.ts'
import { Reception } from '#benchmarks/macro/reception.ts'
import { sequenceOf } from '#benchmarks/macro/updatePrefix.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'

const CONNECTIONS = 2

/** Expects two blocks of two tokens on two connections. */
function fixture() {
  const reception = new Reception({ arm: 'test', firstBlock: 7, blocks: 2, tokens: 2 }, CONNECTIONS, new Map())
  const newest = Array.from({ length: CONNECTIONS }, () => new Float64Array(2))
  const take = (message: Buffer, connection: number, atMs = 1) =>
    reception.take(message, atMs, connection, newest[connection] ?? new Float64Array())
  const takeAll = (but: (block: number, token: number, connection: number) => boolean = () => false) => {
    for (let block = 7; block < 9; block++) {
      for (let token = 0; token < 2; token++) {
        for (let connection = 0; connection < CONNECTIONS; connection++) {
          if (!but(block, token, connection)) take(update(block, token), connection, block * 100 + token * 10 + connection)
        }
      }
    }
  }
  return { reception, take, takeAll }
}

function update(block: number, token: number, tokens = 2): Buffer {
  const snapshot = feedBlock(block, tokens)[token]
  if (snapshot === undefined) throw new RangeError(`no token ${token}`)
  return Buffer.from(encodeUpdate(snapshot).bytes)
}

describe('the load of the macro benchmarks', () => {
  it('reads the sequence of an update from its first bytes', () => {
    expect(sequenceOf(update(7, 1))).toBe(feedSequence(7, 1))
    expect(sequenceOf(Buffer.from('{"type":"subscribed","token":"0x00","sequence":null}'))).toBeNull()
    expect(sequenceOf(Buffer.from('{"type":"token.update","sequence":12}'))).toBeNull()
  })

  it('accepts what is expected, and keeps when each was received', async () => {
    const { reception, takeAll } = fixture()
    takeAll()
    await reception.complete
    reception.check()
    expect([...reception.atMs]).toEqual([700, 701, 710, 711, 800, 801, 810, 811])
    expect(reception.largestBytes).toBe(update(7, 0).length)
  })

  it.each<[string, (of: ReturnType<typeof fixture>) => void, RegExp]>([
    [
      'is missing',
      ({ takeAll }) => takeAll((block, token, connection) => block === 8 && token === 1 && connection === 1),
      /1 updates did not come/,
    ],
    ['comes twice', ({ take, takeAll }) => [takeAll(), take(update(8, 0), 0)], /came after/],
    ['comes out of order', ({ take }) => [take(update(8, 0), 0), take(update(7, 0), 0)], /came after/],
    ['was never sent', ({ take, takeAll }) => [takeAll(), take(update(9, 0), 0)], /nobody sent/],
    ['is of a token that is not in the block', ({ take, takeAll }) => [takeAll(), take(update(8, 2, 3), 0)], /nobody sent/],
    ['is no update', ({ take }) => take(Buffer.from('{"type":"error"}'), 0), /not an update/],
    ['differs from its first copy', ({ take }) => [take(update(7, 0), 0), take(changed(update(7, 0)), 1)], /copies of \d+ differ/],
    ['is larger than allowed', ({ take }) => take(Buffer.concat([update(7, 0), Buffer.alloc(16_384, ' ')]), 0), /passes 16384/],
  ])('finds an update that %s', (_, disturb, message) => {
    const of = fixture()
    disturb(of)
    expect(() => of.reception.check()).toThrow(message)
  })
})

function changed(message: Buffer): Buffer {
  return Buffer.from(message.toString().replace('Alpha', 'Omega'))
}
