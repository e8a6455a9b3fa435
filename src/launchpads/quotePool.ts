import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { type AdapterKind, type AdapterOptions, contractsOf, type EntryProblem, type LaunchpadAdapter } from './adapter.ts'
import { poolFacts } from './tokenEvent.ts'
import { V2_TOPICS } from './uniswapV2.ts'
import { V3_TOPICS } from './uniswapV3.ts'

/*
 * A pool that says what a quote currency is worth: against WETH, or against another currency that such a pool leads on from. It launches
 * nothing. Its events are indexed as those of any pool, so that amounts in the currency have the worth that they had in their block.
 */

const EXPECTED_TYPE = 'expected uniswap-v2 or uniswap-v3'

export const quotePool: AdapterKind = {
  contracts: ['token', 'pool'],
  optionalContracts: ['against'],
  settings: {
    poolType: z
      .enum(['uniswap-v2', 'uniswap-v3'], { error: EXPECTED_TYPE })
      .meta({ description: 'What kind of pool it is. Left out: uniswap-v3.' }),
  },
  check: options => problemsOf(pairOf(options)),
  create: createQuotePool,
}

function createQuotePool(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock, settings } = options
  const { token, pool: address, against } = pairOf(options)
  const type = settings?.['poolType'] === 'uniswap-v2' ? 'uniswap-v2' : 'uniswap-v3'
  const pool = poolFacts(address, type, { token, quoteToken: against, feeBps: null })
  return {
    launchpad,
    startBlock,
    contracts: [],
    quotePool: { key: address, source: { role: 'quotePool', launchpad, token, pool } },
    discoveryTopics: new Set(),
    decodedTopics: new Set(type === 'uniswap-v2' ? V2_TOPICS : V3_TOPICS),
    discover: () => [],
    decode: () => ({ events: [], malformed: [] }),
    claimCall: () => null,
  }
}

function pairOf({
  launchpad,
  contracts,
  weth,
}: Omit<AdapterOptions, 'startBlock'>): Readonly<Record<'token' | 'pool' | 'against', Address>> {
  return { ...contractsOf({ launchpad, contracts }, ['token', 'pool']), against: contracts['against'] ?? weth }
}

function problemsOf({ token, pool, against }: ReturnType<typeof pairOf>): readonly EntryProblem[] {
  return new Set([token, pool, against]).size === 3 ? [] : [{ path: ['pool'], message: 'expected a pool of the token and another one' }]
}

/** The configured pools, by currency. */
export function quotePoolsOf(adapters: readonly Pick<LaunchpadAdapter, 'quotePool'>[]): ReadonlyMap<Address, readonly Address[]> {
  const configured = adapters.flatMap(adapter => adapter.quotePool ?? [])
  const byCurrency = Map.groupBy(configured, ({ source }) => source.token)
  return new Map([...byCurrency].map(([currency, ofCurrency]) => [currency, ofCurrency.map(({ key }) => key)]))
}
