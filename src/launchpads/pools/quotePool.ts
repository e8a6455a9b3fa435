import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils'
import { z } from 'zod'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { PoolType } from '#domain/token.ts'
import { type AdapterKind, type AdapterOptions, contractsOf, type EntryProblem, type LaunchpadAdapter } from '#launchpads/adapter.ts'
import { poolFacts } from '#launchpads/tokenEvent.ts'
import { V2_TOPICS } from './uniswapV2.ts'
import { V3_TOPICS } from './uniswapV3.ts'

/*
 * A pool that prices a quote currency: in WETH, or in another currency that has such a pool itself. It launches nothing. Its events are
 * indexed like those of any pool, so that amounts in the currency are valued at the rate in their block.
 */

const EXPECTED_TYPE = 'expected uniswap-v2, uniswap-v3 or uniswap-v4'
const EXPECTED_ID = 'expected the id of a Uniswap v4 pool, 0x and 64 hex digits'
const EXPECTED_KEY = 'expected fee, tickSpacing and hooks of a Uniswap v4 pool'
const EXPECTED_FEE = 'expected a fee in hundredths of a basis point, a whole number from 0 to 16777215'
const EXPECTED_SPACING = 'expected a whole number from 1 to 32767'
const EXPECTED_HOOKS = 'expected the address of the hooks, the zero address for none'

const poolKey = z.strictObject(
  {
    fee: z.int({ error: EXPECTED_FEE }).min(0, { error: EXPECTED_FEE }).max(0xff_ff_ff, { error: EXPECTED_FEE }),
    tickSpacing: z.int({ error: EXPECTED_SPACING }).min(1, { error: EXPECTED_SPACING }).max(0x7f_ff, { error: EXPECTED_SPACING }),
    hooks: z.string({ error: EXPECTED_HOOKS }).regex(/^0x[0-9a-fA-F]{40}$/, { error: EXPECTED_HOOKS }),
  },
  { error: EXPECTED_KEY },
)

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
    poolKey: poolKey.meta({
      description:
        'What else makes up the id of a uniswap-v4 pool. With it the start checks that the id is of a pool of `token` and `against`.',
    }),
  },
  check: problemsOf,
  create: createQuotePool,
}

const OWN_FIELDS = { contract: ['pool'], managed: ['poolManager', 'poolId'] } as const
const OPTIONAL_FIELDS = { contract: [], managed: ['poolKey'] } as const

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
    ...[...OWN_FIELDS[unwanted], ...OPTIONAL_FIELDS[unwanted]]
      .filter(isGiven)
      .map(field => ({ path: [field], message: `a pool of ${type} has none` })),
  ]
  if (problems.length > 0) return problems
  if (new Set([token, key, against]).size < 3) return [{ path: ['pool'], message: 'expected a pool of the token and another one' }]
  const given = settings['poolKey'] as z.infer<typeof poolKey> | undefined
  const id = given === undefined ? key : v4PoolId([token, against], { ...given, hooks: toAddress(given.hooks) })
  return id === key ? [] : [{ path: ['poolId'], message: `expected ${id}, the id of the pool of token, against and poolKey, got ${key}` }]
}

const POOL_KEY = parseAbiParameters('address, address, uint24, int24, address')

/** What makes up a Uniswap v4 pool besides its currencies. */
export interface V4PoolTerms {
  /** In hundredths of a basis point, or the flag of a fee that the hooks set. */
  readonly fee: number
  readonly tickSpacing: number
  /** The zero address: none. */
  readonly hooks: Address
}

/** The id of the pool of two currencies, in either order (v4-core, `PoolId.sol`). ETH is the zero address. */
export function v4PoolId(currencies: readonly [Address, Address], { fee, tickSpacing, hooks }: V4PoolTerms): Hex {
  const [currency0, currency1] = currencies.toSorted() as [Address, Address]
  return keccak256(encodeAbiParameters(POOL_KEY, [currency0, currency1, fee, tickSpacing, hooks]))
}
