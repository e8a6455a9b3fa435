import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { tokensInWeth } from '#resources/tokens.ts'

const digits = fc.tuple(fc.bigInt(0n, 10n ** 24n), fc.integer({ min: 0, max: 18 }))
const text = ([units, decimals]: readonly [bigint, number]) => {
  const padded = String(units).padStart(decimals + 1, '0')
  return decimals === 0 ? padded : `${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`
}
const plain = digits.map(text)
const price = digits.filter(([units]) => units > 0n).map(text)
const isAtLeast = (weth: string, ethUsd: string, usd: string) =>
  parseDecimal(weth) * parseDecimal(ethUsd) >= parseDecimal(usd) * parseDecimal('1')

test('lets exactly the values through that are worth the asked amount of USD', () => {
  fc.assert(
    fc.property(plain, price, plain, (usd, ethUsd, other) => {
      const { minMarketCap = '' } = tokensInWeth({ sort: 'marketCap', minMarketCapUsd: usd }, ethUsd) as { readonly minMarketCap?: string }
      const least = parseDecimal(minMarketCap)
      const justBelow = least === 0n ? '0' : formatDecimal((least - 1n) as typeof least)
      for (const weth of [minMarketCap, justBelow, other])
        expect(parseDecimal(weth) >= least, `${weth} ${ethUsd} ${usd}`).toBe(isAtLeast(weth, ethUsd, usd))
    }),
  )
})

test('turns sorts and filters in USD into WETH, the stricter one of two', () => {
  expect(
    tokensInWeth({ sort: 'volumeUsd24h', order: 'desc', minVolumeUsd24h: '3000', minLiquidity: '5', minLiquidityUsd: '3000' }, '3000'),
  ).toEqual({ sort: 'volume24h', order: 'desc', minVolume24h: '1', minLiquidity: '5' })
  expect(tokensInWeth({ sort: 'marketCapUsd', limit: 5 }, null)).toEqual({ sort: 'marketCap', limit: 5 })
  expect(tokensInWeth({ sort: 'createdAt', minMarketCapUsd: '1' }, null)).toBeNull()
})
