import { keccak256, toHex } from 'viem/utils'
import { toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import {
  type AdapterKind,
  type AdapterOptions,
  contractsOf,
  decodeEach,
  type LaunchpadAdapter,
  type TransactionLogs,
} from '#launchpads/adapter.ts'
import { type DiscoveredSource, launchedSources, poolSource, type SourceLookup, tokenSource } from '#launchpads/logSource.ts'
import { V3_TOPICS } from '#launchpads/pools/uniswapV3.ts'
import { POOL_CREATED_TOPIC } from '#launchpads/pools/uniswapV3Factory.ts'
import { escrowChange, eventPosition, poolChanged, type TokenEvent } from '#launchpads/tokenEvent.ts'
import { wordsOf, wordTopic } from '#launchpads/words.ts'
import { COIN_CREATED_TOPICS } from './coinCreated.ts'
import { decodeProtocolRewards, depositor, PROTOCOL_REWARDS_TOPICS, withdrawCall } from './protocolRewards.ts'
import { decodeWowCreation, WOW_CREATED_TOPIC, type WowContracts, type WowCreation } from './wowCreation.ts'
import { WOW_CURVE_SUPPLY, wowCostOf, wowPriceAt } from './wowCurve.ts'
import { decodeWowTokens, TOKEN_TOPICS } from './wowTrades.ts'

/*
 * Zora's WOW. A token is its own bonding curve: it mints what it sells and burns what it takes back. Its Uniswap v3 WETH pool exists from
 * the creation on and gets its liquidity at graduation. Later tokens of the same factory, coins, have no curve and trade in a pool of any
 * currency from the start. ProtocolRewards is one escrow in ETH for everything that an account earns.
 */

/** The reasons of deposits that share out the fees of the pool's LP position, which `WowTokenFees` does not report. */
const SECONDARY_REWARDS = ['WOW_CREATOR_SECONDARY_REWARD', 'COIN_CREATOR_MARKET_REWARD'].map(reason =>
  keccak256(toHex(reason)).slice(0, 10),
)

/** The creator's half of the fee on a trade through the token. */
const CREATOR_FEE_BPS = 50
const DECIMALS = 18

export const wow: AdapterKind = {
  version: 3,
  contracts: ['factory', 'protocolRewards'],
  presets: {
    factory: toAddress('0x997020E5F59cCB79C74D527Be492Cc610CB9fA2B'),
    protocolRewards: toAddress('0x7777777F279eba3d3Ad8F4E708545291A6fDBA8B'),
    uniswapFactory: toAddress('0x33128a8fC17869897dcE68Ed026d694621f6FDfD'),
  },
  optionalContracts: ['uniswapFactory'],
  derivedContracts: {
    uniswapFactory: ['tokenImplementation()', 'coinImpl()'].map(implementation => [implementation, 'swapRouter()', 'factory()']),
  },
  create: createWow,
}

function createWow(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock, weth } = options
  const { factory, protocolRewards } = contractsOf(options, ['factory', 'protocolRewards'])
  const uniswapFactory = options.contracts['uniswapFactory'] ?? null
  const contracts = { factory, uniswapFactory, weth }
  const isCreation = (log: ChainLog) => log.address === factory && log.topics[0] === WOW_CREATED_TOPIC
  return {
    launchpad,
    startBlock,
    contracts: [
      { address: factory, role: 'contract' },
      { address: protocolRewards, role: 'contract' },
      ...(uniswapFactory === null ? [] : [{ address: uniswapFactory, role: 'contract', topics: [[POOL_CREATED_TOPIC]] } as const]),
    ],
    discoveryTopics: new Set([WOW_CREATED_TOPIC]),
    decodedTopics: new Set([
      ...PROTOCOL_REWARDS_TOPICS,
      WOW_CREATED_TOPIC,
      ...COIN_CREATED_TOPICS,
      POOL_CREATED_TOPIC,
      ...TOKEN_TOPICS,
      ...V3_TOPICS,
    ]),
    discover: (logs, lookup) =>
      launchedSources(logs.filter(isCreation), log => sourcesOf(decodeWowCreation(log, logs, contracts), launchpad), lookup),
    decode: (transaction, lookup) => {
      const logs = transaction.logs.map(({ log }) => log)
      const ofTokens = decodeWowTokens(transaction, launchpad)
      const others = decodeEach(transaction, ({ log }) => {
        if (isCreation(log)) return launch(log, decodeWowCreation(log, logs, contracts), transaction, { launchpad, weth })
        return log.address === protocolRewards ? decodeRewards(log, transaction, launchpad, lookup) : []
      })
      const { makers } = ofTokens
      return { events: [...ofTokens.events, ...others.events], malformed: [...ofTokens.malformed, ...others.malformed], makers }
    },
    claimCall: target => withdrawCall(protocolRewards, target),
  }
}

function sourcesOf({ token, pool, curve }: WowCreation, launchpad: string): readonly DiscoveredSource[] {
  const itself: DiscoveredSource =
    curve === null
      ? tokenSource(launchpad, token)
      : { key: token, source: { role: 'tokenCurve', launchpad, token, pool: curve, tokenDecimals: DECIMALS } }
  return pool === null ? [itself] : [itself, poolSource(launchpad, token, pool, DECIMALS)]
}

function launch(
  log: ChainLog,
  { token, pool, curve, creator, texts, surface }: WowCreation,
  transaction: TransactionLogs,
  { launchpad, weth }: Pick<WowContracts, 'weth'> & { readonly launchpad: string },
): readonly TokenEvent[] {
  const at = { ...eventPosition(log, transaction), token }
  const events: TokenEvent[] = [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      ...texts,
      surface,
      decimals: DECIMALS,
      creatorFeeBps: CREATOR_FEE_BPS,
      // A coin pays its rewards in its own currency, past the escrow. A withdrawal from the escrow names no token.
      feesReported: { accrued: (curve ?? pool)?.quoteToken === weth, claimed: false },
      graduation: curve === null ? { status: 'none', target: null } : { status: 'bonding', target: wowCostOf(WOW_CURVE_SUPPLY) },
    },
    // Opens the creator's account: deposits by others count from now on.
    escrowChange(at, { launchpad, creator, currency: ZERO_ADDRESS }),
  ]
  if (pool !== null) events.push({ ...at, kind: 'poolCreated', pool, main: curve === null })
  if (curve !== null) {
    events.push(
      { ...at, kind: 'poolCreated', pool: curve, main: true, reserves: { token: 0n, quote: 0n } },
      poolChanged(at, token, { reserves: { mode: 'set', token: WOW_CURVE_SUPPLY, quote: 0n }, price: wowPriceAt(0n) }),
      { ...at, kind: 'curveProgress', raised: { mode: 'set', quote: 0n }, targetSupply: WOW_CURVE_SUPPLY },
    )
  }
  return events
}

/** Deposits that share out the fees of a token's LP position are also counted for the token. */
function decodeRewards(log: ChainLog, transaction: TransactionLogs, launchpad: string, lookup: SourceLookup): readonly TokenEvent[] {
  const changes = decodeProtocolRewards(log, transaction, launchpad, lookup)
  const token = depositor(log, launchpad, lookup)
  if (token === null) return changes
  const reason = toHex(wordTopic(log.topics, 3), { size: 32 }).slice(0, 10)
  if (!SECONDARY_REWARDS.includes(reason)) return changes
  return [...changes, { ...eventPosition(log, transaction), token, kind: 'creatorShare', accruedWei: wordsOf(log.data, 1)(0) }]
}
