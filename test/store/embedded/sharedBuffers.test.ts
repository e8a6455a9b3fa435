import { describe, expect, test } from 'vitest'
import { sharedBuffers } from '#store/embedded/serverProcess.ts'

const GIB = 1024 ** 3

describe("the embedded server's own memory", () => {
  test('is a quarter of what there is', () => {
    expect(sharedBuffers(8 * GIB)).toBe('2048MB')
    expect(sharedBuffers(3.9 * GIB)).toBe('998MB')
  })

  test('has a bound on small machines and on large ones', () => {
    expect(sharedBuffers(0.5 * GIB)).toBe('128MB')
    expect(sharedBuffers(256 * GIB)).toBe('8192MB')
  })

  test('is known on this machine', () => {
    expect(sharedBuffers()).toMatch(/^\d+MB$/)
  })
})
