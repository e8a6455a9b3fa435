import { describe, expect, test } from 'vitest'
import { sharedBuffers } from '#database/embedded/sharedBuffers.ts'

const GIB = 1024 ** 3

describe("the embedded server's own memory", () => {
  test('is an eighth of what there is', () => {
    expect(sharedBuffers(8 * GIB)).toBe('1024MB')
    expect(sharedBuffers(3.9 * GIB)).toBe('499MB')
  })

  test('has a bound on small machines and on large ones', () => {
    expect(sharedBuffers(0.5 * GIB)).toBe('128MB')
    expect(sharedBuffers(256 * GIB)).toBe('2048MB')
  })

  test('is known on this machine', () => {
    expect(sharedBuffers()).toMatch(/^\d+MB$/)
  })
})
