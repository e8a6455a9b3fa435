import { expect, it } from 'vitest'
import { formatCompact, formatPrice, fromUnits, plain, toUnits } from '#client/decimalText.ts'

it.each([
  ['1500', 3, '1.5'],
  ['1', 18, '0.000000000000000001'],
  ['0', 18, '0'],
  ['-2500', 3, '-2.5'],
  [12n, 0, '12'],
])('converts %s of a currency with %i decimals to %s and back', (raw, decimals, decimal) => {
  expect(fromUnits(raw, decimals)).toBe(decimal)
  expect(toUnits(decimal, decimals)).toBe(String(raw))
})

it('cuts places past the decimals of a currency, and refuses what is no plain decimal', () => {
  expect(toUnits('0.0019', 3)).toBe('1')
  expect(toUnits('-0.0009', 3)).toBe('0')
  for (const text of ['', '1e3', '.5', '1,5', '0x1']) expect(() => toUnits(text, 3)).toThrow(TypeError)
})

it.each([
  [3e-36, `0.${'0'.repeat(35)}3`],
  [-1.25e-7, '-0.000000125'],
  [0.000001, '0.000001'],
  [4e21, `4${'0'.repeat(21)}`],
  [Number.NaN, null],
])('writes the number %d without an exponent', (value, text) => {
  expect(plain(value)).toBe(text)
})

it('writes small prices with a subscript for their zeros', () => {
  expect([formatPrice('0.0000012345'), formatPrice('0.00123456'), formatPrice('1234.5'), formatPrice(null)]).toEqual([
    '0.0₅1235',
    '0.001235',
    '1,234.50',
    '–',
  ])
  expect([formatCompact('1234567'), formatCompact('0.00000001')]).toEqual(['1.23M', '0.0₇1'])
})
