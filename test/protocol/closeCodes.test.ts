import { describe, expect, it } from 'vitest'
import { afterClose, CLOSE_CODES, delayAfterClose, leavingReason } from '#protocol/closeCodes.ts'

describe('delayAfterClose', () => {
  it('reads the delay that a server that leaves has sent, up to five minutes', () => {
    for (const ms of [0, 1, 2_500, 300_000]) expect(delayAfterClose(4012, leavingReason(ms))).toBe(ms)
    expect(delayAfterClose(4012, leavingReason(1_700.9))).toBe(1_700)
    expect(delayAfterClose(4012, 'retry after 999999999 ms')).toBe(300_000)
  })

  it.each([
    [1012, 'retry after 5 ms'],
    [4012, ''],
    [4012, 'retry after -5 ms'],
    [4012, 'please retry after 5 ms'],
    [4012, 'retry after 9999999999 ms'],
  ])('knows none in %i %j', (code, reason) => {
    expect(delayAfterClose(code, reason)).toBeNull()
  })
})

describe('afterClose', () => {
  it('reconnects after every code of this server', () => {
    for (const [name, { code }] of Object.entries(CLOSE_CODES)) expect(afterClose(code)).toBe(name === 'revoked' ? 'stop' : 'reconnect')
  })

  it.each([
    [4000, 'reconnect'],
    [4499, 'reconnect'],
    [4500, 'stop'],
    [4999, 'stop'],
  ])('reads %i by its range alone: %s', (code, after) => {
    expect(afterClose(code)).toBe(after)
  })

  it.each([
    [1000, 'stop'],
    [1001, 'reconnect'],
    [1006, 'reconnect'],
    [1007, 'stop'],
    [1008, 'stop'],
    [1011, 'reconnect'],
    [1013, 'reconnect'],
  ])('tells what follows the code %i of the protocol: %s', (code, after) => {
    expect(afterClose(code)).toBe(after)
  })
})
