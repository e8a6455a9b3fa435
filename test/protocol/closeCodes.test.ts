import { describe, expect, it } from 'vitest'
import { afterClose, CLOSE_CODES } from '#protocol/closeCodes.ts'

describe('afterClose', () => {
  it('reconnects after every code of this server', () => {
    for (const { code } of Object.values(CLOSE_CODES)) expect(afterClose(code)).toBe('reconnect')
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
