import { expect, test } from 'vitest'
import { GrowingBuffer } from '#store/exports/growingBuffer.ts'

/** As much as a new buffer has. */
const MEMORY = Buffer.alloc(2 ** 16, '.')
const SHORT = Buffer.from('abc')

test.each<[string, string, (to: GrowingBuffer) => void]>([
  ['a byte', 'a', to => to.byte(0x61)],
  ['a copy', 'bc', to => to.copy(SHORT, 1)],
  ['reversed bytes', 'ba', to => to.reversed(SHORT, 0, 2)],
  ['a length', '\u0003\u0000\u0000\u0000', to => to.uint32(3)],
  ['ASCII', 'abc', to => to.ascii('abc')],
  ['UTF-8', 'é😀', to => to.utf8('é😀')],
  ['hex digits', '6162', to => to.hex(SHORT, 0, 2)],
  ['an integer', '-9007199254740991', to => to.integer(Number.MIN_SAFE_INTEGER)],
])('%s is written whole where the memory lacks one byte for it', (_name, expected, write) => {
  const buffer = new GrowingBuffer()
  const before = MEMORY.subarray(Buffer.byteLength(expected) - 1)
  buffer.copy(before)
  write(buffer)
  expect(buffer.take().subarray(before.length).toString()).toBe(expected)
})

test('bytes that were taken stay as they were while the memory is used again', () => {
  const buffer = new GrowingBuffer()
  buffer.ascii('first')
  const taken = buffer.take()
  buffer.ascii('again')
  expect(taken.toString()).toBe('first')
  expect(buffer.take().toString()).toBe('again')
})
