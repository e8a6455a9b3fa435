import { describe, expect, it } from 'vitest'
import { FramedSnapshot } from '#actors/token/frame.ts'
import { tokenUpdateSchema } from '#protocol/schemas/messages.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('FramedSnapshot', () => {
  it('encodes once for all subscribers', () => {
    const update = new FramedSnapshot(snapshotOf(addressOf(1), 7), 12)
    expect(update.frameBytes).toBeNull()
    const frame = update.frame('3000')
    expect(update.frame('3000')).toBe(frame)
    const message = frame.since(null)
    expect(frame.since(null)).toBe(message)
    expect(message.webSocket).toBe(message.webSocket)
    expect(message.eventStream).toBe(message.eventStream)
    expect(frame).toMatchObject({ token: addressOf(1), sequence: 7, completedAtMs: 12 })
    expect(update.frameBytes).toBe(message.webSocket.length - ',"trades":null}'.length)
  })

  it('fills in USD values at the price it is given', () => {
    const update = new FramedSnapshot(snapshotOf(addressOf(1), 7), null)
    const marketAt = (ethUsd: string | null) =>
      tokenUpdateSchema.parse(JSON.parse(text(update.frame(ethUsd).since(null).webSocket))).token.market
    expect(marketAt('3000')).toMatchObject({ priceUsd: '0.00003702', marketCapUsd: '37020', liquidityUsd: '12600' })
    expect(marketAt(null)).toMatchObject({ priceUsd: null, marketCapUsd: null, liquidityUsd: null })
    expect(marketAt('3100')).toMatchObject({ marketCapUsd: '38254' })
  })

  it('makes an event with the sequence as its id and the same JSON', () => {
    const frame = new FramedSnapshot(snapshotOf(addressOf(1), 1795000000123, { name: 'two\nlines\r\u2028' }), null).frame(null).since(null)
    const json = text(frame.webSocket)
    expect(text(frame.eventStream)).toBe(`event: token.update\nid: 1795000000123\ndata: ${json}\n\n`)
    expect(json).not.toMatch(/[\r\n]/)
  })
})
