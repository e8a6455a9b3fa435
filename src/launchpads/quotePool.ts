import { z } from 'zod'
import type { Address, Hex } from '#domain/address.ts'
import type { PoolType } from '#domain/token.ts'
import { type AdapterKind, type AdapterOptions, contractsOf, type EntryProblem, type LaunchpadAdapter } from './adapter.ts'
import { poolFacts } from './tokenEvent.ts'
import { V2_TOPICS } from './uniswapV2.ts'
import { V3_TOPICS } from './uniswapV3.ts'

/*
 * A pool that says what a quote currency is worth: against WETH, or against another currency that such a pool leads on from. It launches
 * nothing. Its events are indexed as those of any pool, so that amounts in the currency have the worth that they had in their block.
 */

const EXPECTED_TYPE = 'expected uniswap-v2, uniswap-v3 or uniswap-v4'
const EXPECTED_ID = 'expected the id of a Uniswap v4 pool, 0x and 64 hex digits'

export const quotePool: AdapterKind = {
  contracts: ['token'],
  optionalContracts: ['pool', 'poolManager', 'against'],
  settings: {
    poolType: z
      .enum(['uniswap-v2', 'uniswap-v3', 'uniswap-v4'], { error: EXPECTED_TYPE })
      .meta({ description: 'What kind of pool it is. Left out: uniswap-v3.' }),
    poolId: z
      .string({ error: EXPECTED_ID })
      .regex(/^0x[0-9a-fA-F]{64}$/, { error: EXPECTED_ID })
      .meta({ description: 'Of a uniswap-v4 pool, in place of `pool`: its id in the `poolManager`. ETH is `against` the zero address.' }),
  },
  check: problemsOf,
  create: createQuotePool,
}

const OWN_FIELDS = { contract: ['pool'], managed: ['poolManager', 'poolId'] } as const

type QuotePoolOptions = Omit<AdapterOptions, 'startBlock'>

function createQuotePool(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock, contracts } = options
  const { token, against, type, key } = pairOf(options)
  if (key === undefined) throw new TypeError(`quote pool ${launchpad} has no address and no id`)
  const { poolManager } = contracts
  const pool = poolFacts(key, type, { token, quoteToken: against, feeBps: null })
  return {
    launchpad,
    startBlock,
    contracts: poolManager === undefined ? [] : [{ address: poolManager, role: 'poolManager' }],
    quotePool: { key, source: { role: 'quotePool', launchpad, token, pool } },
    discoveryTopics: new Set(),
    decodedTopics: new Set(type === 'uniswap-v2' ? V2_TOPICS : type === 'uniswap-v3' ? V3_TOPICS : []),
    discover: () => [],
    decode: () => ({ events: [], malformed: [] }),
    claimCall: () => null,
  }
}

function pairOf(options: QuotePoolOptions) {
  const { contracts, weth, settings = {} } = options
  const { token } = contractsOf(options, ['token'])
  const type = (settings['poolType'] ?? 'uniswap-v3') as Exclude<PoolType, 'curve'>
  const key = type === 'uniswap-v4' ? (settings['poolId'] as string | undefined)?.toLowerCase() : contracts['pool']
  return { token, against: contracts['against'] ?? weth, type, key: key as Hex | undefined }
}

function problemsOf(options: QuotePoolOptions): readonly EntryProblem[] {
  const { token, against, type, key } = pairOf(options)
  const { contracts, settings = {} } = options
  const [needed, unwanted] = type === 'uniswap-v4' ? (['managed', 'contract'] as const) : (['contract', 'managed'] as const)
  const isGiven = (field: string) => contracts[field] !== undefined || settings[field] !== undefined
  const problems = [
    ...OWN_FIELDS[needed].filter(field => !isGiven(field)).map(field => ({ path: [field], message: `missing, a pool of ${type} has one` })),
    ...OWN_FIELDS[unwanted].filter(isGiven).map(field => ({ path: [field], message: `a pool of ${type} has none` })),
  ]
  if (problems.length > 0) return problems
  return new Set([token, key, against]).size === 3 ? [] : [{ path: ['pool'], message: 'expected a pool of the token and another one' }]
}

/** The configured pools, by currency. */
export function quotePoolsOf(adapters: readonly Pick<LaunchpadAdapter, 'quotePool'>[]): ReadonlyMap<Address, readonly Hex[]> {
  const configured = adapters.flatMap(adapter => adapter.quotePool ?? [])
  const byCurrency = Map.groupBy(configured, ({ source }) => source.token)
  return new Map([...byCurrency].map(([currency, ofCurrency]) => [currency, ofCurrency.map(({ key }) => key)]))
}
