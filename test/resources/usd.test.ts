import { expect, test } from 'vitest'
import { toUsdAmount } from '#resources/values.ts'

// Small values once had more than twenty decimals.
test('gives what somebody holds in USD with at most 18 decimals', () => {
  expect(toUsdAmount('0.000000333333333333', '3012.44')).toBe('0.001004146666665663')
  expect(toUsdAmount('0.000000000000000001', '3012.444444')).toBe('0.000000000000003012')
  expect(toUsdAmount(null, '3012.44')).toBeNull()
})
