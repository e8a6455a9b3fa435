import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDecimal } from '#domain/decimal.ts'
import { plainDecimal } from '#ethUsd/priceProviders.ts'

describe('plainDecimal', () => {
  it.each([
    ['3012.44', '3012.44'],
    ['3012', '3012'],
    ['0.1', '0.1'],
    ['3012.10', '3012.10'],
    ['123456789012345678.123456789', '123456789012345678.123456789'],
    ['3.01244e3', '3012.44'],
    ['3.01244E+3', '3012.44'],
    ['3e3', '3000'],
    ['3.0e0', '3.0'],
    ['301244e-2', '3012.44'],
    ['5e-3', '0.005'],
    ['0.05e3', '50'],
    ['0.00005e3', '0.05'],
    ['12.5e-3', '0.0125'],
  ])('writes %s as %s', (text, plain) => {
    expect(plainDecimal(text)).toBe(plain)
  })

  it.each([
    '',
    '-1',
    '+1',
    '01',
    '.5',
    '5.',
    '1e',
    '1e99',
    '1e-99',
    '1e1000',
    '0x10',
    '1_000',
    '1,000',
    'NaN',
    'Infinity',
    ' 1',
    '1'.repeat(41),
  ])('refuses %j', text => {
    expect(plainDecimal(text)).toBeNull()
  })

  it('keeps the value of any exponent, and parseDecimal reads it', () => {
    const number = fc.tuple(fc.nat({ max: 10 ** 9 }), fc.stringMatching(/^\d{0,10}$/), fc.integer({ min: -20, max: 15 }))
    fc.assert(
      fc.property(number, ([whole, fraction, exponent]) => {
        const mantissa = fraction === '' ? String(whole) : `${whole}.${fraction}`
        const plain = plainDecimal(`${mantissa}e${exponent}`) ?? ''
        const scale = 10n ** 20n
        expect(parseDecimal(plain) * scale).toBe(parseDecimal(mantissa) * 10n ** BigInt(exponent + 20))
      }),
    )
  })
})
