import { describe, expect, it } from 'vitest'
import { parseHeader, parseQuantity } from '#rpc/header.ts'
import { createSimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const chain = createSimulatedChain()
const block = chain.mine([{ address: testAddress(1), topics: [`0x${'AB'.repeat(32)}`], data: '0xAbCd' }])
const rawHeader = chain.answer('eth_getBlockByNumber', ['0x1', false]) as Record<string, unknown>

describe('parseHeader', () => {
  it('reads a header', () => {
    expect(parseHeader(rawHeader, 'block 1')).toEqual(block.header)
  })

  it('makes hex lower-case', () => {
    const shouting = { ...rawHeader, hash: block.header.hash.toUpperCase().replace('0X', '0x') }
    expect(parseHeader(shouting, 'block 1').hash).toBe(block.header.hash)
  })

  it('does without a base fee', () => {
    expect(parseHeader({ ...rawHeader, baseFeePerGas: undefined }, 'block 1').baseFeeWei).toBeNull()
  })

  // Some public chains leave these out: every answer was refused.
  it.each([undefined, null, '0x', `0x${'0'.repeat(16)}`])('does without a bloom or a root of receipts where it is %s', value => {
    const header = parseHeader({ ...rawHeader, logsBloom: value, receiptsRoot: value }, 'block 1')
    expect(header).toMatchObject({ number: 1, logsBloom: null, receiptsRoot: null, isProven: false })
  })

  it('names the fields that may be missing in the hash', () => {
    const fields = { ...rawHeader, nonce: '0x00000000000000ff', fieldOfAFork: '0x1' }
    expect(parseHeader(fields, 'block 1')).toMatchObject({ isProven: false, unknownFields: ['fieldOfAFork'] })
  })

  it('takes null for a block that is not there', () => {
    expect(() => parseHeader(null, 'block 9')).toThrow(expect.objectContaining({ fault: { kind: 'missing', what: 'block 9' } }))
  })

  it.each([
    ['hash', null],
    ['hash', '0x12'],
    ['number', '12'],
    ['number', '0xffffffffffffffff'],
    ['number', '0x3fffffffffffff'],
    ['timestamp', undefined],
    ['parentHash', 7],
    ['baseFeePerGas', '0xzz'],
  ])('refuses a %s of %s', (field, value) => {
    expect(() => parseHeader({ ...rawHeader, [field]: value }, 'block 1')).toThrow(
      expect.objectContaining({ code: 'rpc_inconsistent', fault: expect.objectContaining({ kind: 'garbled' }) as unknown }),
    )
  })

  it.each([['a string'], [7], [undefined], [true]])('refuses %s', raw => {
    expect(() => parseHeader(raw, 'block 1')).toThrow('not an answer')
  })
})

describe('parseQuantity', () => {
  it('reads exact numbers only', () => {
    expect(parseQuantity('0x1fffffffffffff', 'n')).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => parseQuantity('0x20000000000000', 'n')).toThrow('not an answer: n')
  })
})
