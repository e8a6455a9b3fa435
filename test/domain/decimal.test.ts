import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Decimal,
  formatDecimal,
  formatUnits,
  multiply,
  multiplyTexts,
  parseDecimal,
  percentChange,
  percentOf,
  ratio,
  units,
} from '#domain/decimal.ts'

const amount = fc.bigInt({ min: 0n, max: 2n ** 128n })

describe('ratio', () => {
  test('is null over zero', () => expect(ratio(1n, 0n)).toBeNull())

  test('rounds half up to 20 significant digits', () => {
    expect(formatDecimal(ratio(2n, 3n) as Decimal)).toBe('0.66666666666666666667')
    expect(formatDecimal(ratio(1n, 3_000_000_000n) as Decimal)).toBe('0.00000000033333333333333333333')
    expect(formatDecimal(ratio(-2n, 3n) as Decimal)).toBe('-0.66666666666666666667')
  })

  test('is within half a unit of the 20th digit of the true quotient', () => {
    fc.assert(
      fc.property(amount, fc.bigInt({ min: 1n, max: 2n ** 128n }), (numerator, denominator) => {
        const got = ratio(numerator, denominator) as Decimal
        // |got/10^60 - n/d| <= got/10^60 * 10^-19, in integers; the division itself cuts below 10^-60.
        const error = got * denominator - numerator * 10n ** 60n
        const magnitude = error < 0n ? -error : error
        expect(magnitude <= (got * denominator) / 10n ** 19n + denominator).toBe(true)
      }),
    )
  })
})

describe('formatUnits', () => {
  test('is the decimal of an amount with any number of decimals', () => {
    const raw = fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n })
    fc.assert(
      fc.property(fc.oneof(raw, fc.bigInt({ min: -1_000n, max: 1_000n })), fc.integer({ min: 0, max: 70 }), (value, decimals) => {
        expect(formatUnits(value, decimals)).toBe(formatDecimal(units(value, decimals)))
      }),
    )
  })
})

describe('formatDecimal', () => {
  test('writes no exponent, trailing zero or negative zero', () => {
    expect(formatDecimal(parseDecimal('12.3400'))).toBe('12.34')
    expect(formatDecimal(parseDecimal('-0.000'))).toBe('0')
    expect(formatDecimal(parseDecimal('100'))).toBe('100')
    expect(formatDecimal(parseDecimal(`0.${'0'.repeat(40)}1`))).toBe(`0.${'0'.repeat(40)}1`)
  })

  test('is read back to the same value', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 90n), max: 10n ** 90n }), value => {
        expect(parseDecimal(formatDecimal(value as Decimal))).toBe(value)
      }),
    )
  })
})

test.each(['', '1e5', '0x1', 'NaN', '1.2.3', ' 1', '.5', 'Infinity'])('refuses %j as a decimal', text => {
  expect(() => parseDecimal(text)).toThrow(TypeError)
})

test('reads raw amounts in any number of decimals', () => {
  expect(formatUnits(1_500_000_000_000_000_000n, 18)).toBe('1.5')
  expect(formatUnits(7n, 0)).toBe('7')
  expect(formatUnits(123n, 77)).toBe('0')
  expect(formatDecimal(units(5n, 60))).toBe(`0.${'0'.repeat(59)}5`)
})

test('multiplies', () => {
  expect(formatDecimal(multiply(parseDecimal('0.00000001234'), parseDecimal('3000')))).toBe('0.00003702')
})

test('says how far a price moved in percent, to four decimals', () => {
  expect(percentChange(parseDecimal('4'), parseDecimal('5'))).toBe(25)
  expect(percentChange(parseDecimal('3'), parseDecimal('2'))).toBe(-33.3333)
  expect(percentChange(parseDecimal('0'), parseDecimal('2'))).toBeNull()
})

test('gives shares between 0 and 100', () => {
  expect(percentOf(1n, 3n)).toBe(33.3333)
  expect(percentOf(5n, 3n)).toBe(100)
  expect(percentOf(1n, 0n)).toBeNull()
})

describe('multiplyTexts', () => {
  const digits = (max: number) => fc.string({ unit: fc.constantFrom('0', '1', '4', '5', '9'), maxLength: max })
  const decimal = fc
    .tuple(fc.constantFrom('', '', '', '-'), digits(30), fc.option(digits(66)))
    .map(([sign, whole, fraction]) => `${sign}${whole === '' ? '0' : whole}${fraction === null ? '' : `.${fraction}`}`)

  test('gives what multiplying and formatting decimals gives', () => {
    const check = (a: string, b: string): void => {
      expect(multiplyTexts(a, b)).toBe(formatDecimal(multiply(parseDecimal(a), parseDecimal(b))))
    }
    fc.assert(fc.property(decimal, decimal, check), { numRuns: 2_000 })
    check('0', '3012.44')
    check('0.99999999999999999999', '1')
    check('99999999999999999999.9', '1')
    check('0.000000000000000000000000000000000000000000000000000000000001', '0.5')
    check('0.00000001234', '3012.44')
  })

  test('takes no other texts than plain decimals', () => {
    for (const text of ['', '1e3', '.5', 'NaN', '1,5', ' 1']) expect(() => multiplyTexts(text, '1')).toThrow(TypeError)
  })
})
