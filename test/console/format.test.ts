import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatCompact, formatPrice, fromUnits } from '#client/decimalText.ts'
import { formatChange, formatCount, formatMs, formatShare } from '#console/format/numbers.ts'
import { displayText, shortHex } from '#console/format/text.ts'
import { formatAge, formatDuration } from '#console/format/time.ts'
import { dustBound, rateOf, timesPrice } from '#console/format/usd.ts'

describe('a price', () => {
  test.each([
    [null, '–'],
    ['', '–'],
    ['1e-7', '–'],
    ['0', '0'],
    ['0.000', '0'],
    ['0.00000001234', '0.0₇1234'],
    ['0.000001234', '0.0₅1234'],
    ['0.0000012', '0.0₅1200'],
    ['0.00012345', '0.0001235'],
    ['0.12', '0.1200'],
    ['0.99999', '1.000'],
    ['0.099999', '0.1000'],
    ['0.00000999999', '0.0₄1000'],
    ['0.0000000000000000000000000000001234567', '0.0₃₀1235'],
    ['1', '1.000'],
    ['9.9999', '10.00'],
    ['3.14159', '3.142'],
    ['12.3456', '12.35'],
    ['3012.44', '3,012.44'],
    ['999999.999', '1,000,000.00'],
    ['1234567.89', '1.23M'],
    ['-0.5', '−0.5000'],
  ])('%s is shown as %s', (decimal, shown) => {
    expect(formatPrice(decimal)).toBe(shown)
  })

  test('is never off by more than its last digit', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 24 })
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999n }), digits, (whole, fraction) => {
        const exact = Number(`${whole}.${fraction}`)
        const zeros = (text: string) => Number(Array.from(text, character => '₀₁₂₃₄₅₆₇₈₉'.indexOf(character)).join(''))
        const shown = formatPrice(`${whole}.${fraction}`)
          .replaceAll(',', '')
          .replace(/0([₀-₉]+)/u, (_, count: string) => '0'.repeat(zeros(count)))
        expect(Math.abs(Number(shown) - exact)).toBeLessThanOrEqual(exact * 0.0006 + (whole > 0n ? 0.00501 : 0))
      }),
    )
  })
})

test.each([
  [null, '–'],
  [Number.NaN, '–'],
  [0, '0'],
  ['0.0', '0'],
  ['0.5', '0.5'],
  [7.456, '7.46'],
  [999, '999'],
  [999.9, '1.00K'],
  [7.5, '7.50'],
  ['0.00012', '0.00012'],
  ['0.0049126', '0.00491'],
  ['0.00000000000000605912', '0.0₁₄606'],
  ['0.0000000120', '0.0₇12'],
  ['0.99996', '1'],
  ['-0.1', '−0.1'],
  ['12345', '12.3K'],
  ['999950', '1.00M'],
  ['1000000000000000000000000000', '1,000,000,000,000Q'],
  ['1200000', '1.20M'],
  [1e21, '1,000,000Q'],
  ['-1234', '−1.23K'],
])('%s is shortened to %s', (value, shown) => {
  expect(formatCompact(value)).toBe(shown)
})

test.each([
  [formatCount(1_234_567), '1,234,567'],
  [formatCount(null), '–'],
  [formatChange(null), '–'],
  [formatChange(12.34), '+12.3%'],
  [formatChange(-0.04), '0.0%'],
  [formatChange(-2.5), '−2.5%'],
  [formatChange(123.4), '+123%'],
  [formatChange(12_345), '+12.3K%'],
  [formatShare(0), '0.0%'],
  [formatShare(0.001), '<0.01%'],
  [formatShare(12.53), '12.5%'],
  [formatShare(99.999), '99.99%'],
  [formatShare(null), '–'],
  [formatMs(0), '0 ms'],
  [formatMs(0.42), '0.4 ms'],
  [formatMs(1_234), '1.2 s'],
  [formatMs(null), '–'],
  [fromUnits('1234500000000000000', 18), '1.2345'],
  [fromUnits('5', 18), '0.000000000000000005'],
  [fromUnits('42', 0), '42'],
  [formatAge(null, 0), '–'],
  [formatAge('nonsense', 0), '–'],
  [formatAge('1970-01-01T00:00:10.000Z', 10_500), 'now'],
  [formatAge('1970-01-01T00:00:00.000Z', 90_000), '1m'],
  [formatAge('1970-01-01T00:00:00.000Z', 49 * 3_600_000), '2d'],
  [formatDuration(3_700), '1h 1m'],
  [formatDuration(null), '–'],
  [shortHex('0x1234567890abcdef1234567890abcdef12345678'), '0x1234…5678'],
])('shows %s', (shown, expected) => {
  expect(shown).toBe(expected)
})

describe('a text from the chain', () => {
  test.each([
    [null, null],
    ['', null],
    [' \u200b\u202e\n ', null],
    ['Alpha', 'Alpha'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['evil\u202egnp.exe', 'evil gnp.exe'],
    ['a\u0000b\u0007c', 'a b c'],
    ['two\nlines', 'two lines'],
    ['\ud800x', 'x'],
    ['z\u0300\u0301\u0302\u0303\u0304', 'z\u0300\u0301'],
  ])('%j is shown as %j', (text, shown) => {
    expect(displayText(text)).toBe(shown)
  })

  test('is cut between characters, however long it is', () => {
    expect(displayText('🚀'.repeat(1_000_000), 8)).toBe('🚀🚀🚀🚀🚀🚀🚀…')
    expect(displayText('a'.repeat(64))).toBe('a'.repeat(64))
    expect(displayText('a'.repeat(65))).toBe(`${'a'.repeat(63)}…`)
  })

  test('never contains unprintable characters, nor more characters than asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), fc.integer({ min: 2, max: 80 }), (text, most) => {
        const shown = displayText(text, most) ?? ''
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(Array.from(shown).length).toBeLessThanOrEqual(most)
      }),
      { numRuns: 30 },
    )
  })
})

// A pool of which 20 wei were left had a liquidity of `$0.0₁₄588`.
test.each([
  ['0.009999', '0.01', null],
  ['0.01', null, null],
  ['-0.001', '0.01', null],
  ['0.00000000000000588', '0.01', '0.00001'],
  ['0.000', null, null],
  ['12', null, null],
] as const)('an amount of %s is dust below %s dollars and %s ether', (amount, usd, weth) => {
  expect([dustBound(amount, 'usd'), dustBound(amount, 'weth')]).toEqual([usd, weth])
})

// The highest price of a token that was never traded was lower than its price: they were valued by two prices of ether.
test('values of a token have its own price of ether, and that of the header only without one', () => {
  const token = { priceUsd: '0.0042', priceWeth: '0.0000014' }
  expect(timesPrice('0.0000014', rateOf(token, '2900'))).toBe(token.priceUsd)
  for (const unpriced of [
    { ...token, priceUsd: null },
    { ...token, priceWeth: null },
    { priceUsd: '0', priceWeth: '0' },
  ])
    expect(rateOf(unpriced, '2900')).toBe('2900')
})
