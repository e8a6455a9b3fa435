import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import { type Answer, textAnswer } from '#gateway/http/answer.ts'
import { type Problem, tokenNotFound } from '#gateway/http/problem.ts'
import { defineRoute, type Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import type { Supply } from '#resources/marketData.ts'
import { tokenParameter } from '#resources/parameters.ts'

const parameters = z.object({ address: tokenParameter })

/** Routes that answer with a plain number, as CoinGecko and CoinMarketCap read it. */
export function supplyRoutes({ reads }: Pick<Sources, 'reads'>): readonly Route[] {
  const supplyRoute = (name: string, id: string, meaning: string, supplyOf: (supply: Supply) => bigint): Route =>
    defineRoute(
      {
        path: `/api/tokens/:address/supply/${name}`,
        parameters,
        cacheControl: 'seconds',
        outdatedBy: 'tokenChange',
        description: {
          id,
          tag: 'Integrations',
          summary: `The ${name} supply of a token as a plain number`,
          answer: { contentType: 'text/plain', meaning },
          problems: ['token_not_found', 'data_unavailable'],
        },
      },
      ({ address }) => answer(address, supplyOf),
    )

  async function answer(address: Address, supplyOf: (supply: Supply) => bigint): Promise<Answer | Problem> {
    const supply = await reads.supply(address)
    if (supply === null) return tokenNotFound(address)
    return textAnswer('text/plain', formatUnits(supplyOf(supply), supply.decimals))
  }

  return [
    supplyRoute('total', 'getTotalSupply', 'Whole tokens, a decimal number.', ({ total }) => total),
    supplyRoute(
      'circulating',
      'getCirculatingSupply',
      'Whole tokens, a decimal number: the total supply without what burn addresses and lockers hold.',
      ({ total, burned, locked }) => total - burned - locked,
    ),
  ]
}
