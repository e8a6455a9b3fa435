import { encodeFunctionData, parseAbi } from 'viem/utils'
import { isEther, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import {
  type AdapterKind,
  type AdapterOptions,
  contractsOf,
  decodeEach,
  type LaunchpadAdapter,
  type TransactionLogs,
  type Vesting,
} from '#launchpads/adapter.ts'
import { type DiscoveredSource, launchedSources, poolSource, type SourceLookup, tokenSource } from '#launchpads/logSource.ts'
import { unlessMalformed } from '#launchpads/malformedLog.ts'
import { V3_TOPICS } from '#launchpads/pools/uniswapV3.ts'
import { POOL_CREATED_TOPIC } from '#launchpads/pools/uniswapV3Factory.ts'
import { escrowChange, eventPosition, type TokenEvent } from '#launchpads/tokenEvent.ts'
import { decodeProtocolRewards, PROTOCOL_REWARDS_TOPICS, withdrawCall } from './protocolRewards.ts'
import { decodeZoraCreation, migratedMarket, ZORA_CREATED_TOPICS, type ZoraCreation } from './zoraCreation.ts'
import { decodeZoraCoins, LIQUIDITY_MIGRATED_TOPIC, vestingAccount, ZORA_COIN_TOPICS } from './zoraRewards.ts'

/*
 * Zora's coins. A coin trades in a pool of any currency from its creation on: most in Uniswap v4, with a hook that shares out the fees at
 * every swap, the oldest in v3, where the coin shares them out. v3 coins in ETH pay into ProtocolRewards, all others pay the recipients at
 * once.
 */

const CLAIM_VESTING = parseAbi(['function claimVesting() returns (uint256)'])
const DECIMALS = 18
/** For a creator coin: the raw units that vest to its payout recipient (CreatorCoinConstants.sol). */
const VESTING_SUPPLY = 500_000_000n * 10n ** 18n

export const zoraCoins: AdapterKind = {
  version: 3,
  contracts: ['factory', 'poolManager'],
  presets: {
    factory: toAddress('0x777777751622c0d3258f214F9DF38E35BF45baF3'),
    poolManager: toAddress('0x498581fF718922c3f8e6A244956aF099B2652b2b'),
    protocolRewards: toAddress('0x7777777F279eba3d3Ad8F4E708545291A6fDBA8B'),
    uniswapFactory: toAddress('0x33128a8fC17869897dcE68Ed026d694621f6FDfD'),
  },
  optionalContracts: ['protocolRewards', 'uniswapFactory'],
  derivedContracts: {
    poolManager: [['coinV4Impl()', 'poolManager()']],
    protocolRewards: ['coinImpl()', 'coinV4Impl()'].map(coin => [coin, 'protocolRewards()']),
    uniswapFactory: [['coinImpl()', 'v3Factory()']],
  },
  create: createZoraCoins,
}

function createZoraCoins(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock, weth } = options
  const { factory, poolManager } = contractsOf(options, ['factory', 'poolManager'])
  const { protocolRewards = null, uniswapFactory = null } = options.contracts
  const contracts = { factory, uniswapFactory, weth }
  const created = new Set(ZORA_CREATED_TOPICS)
  const isCreation = (log: ChainLog) => log.address === factory && created.has(log.topics[0] ?? '0x')
  const isMigration = ({ topics }: ChainLog) => topics[0] === LIQUIDITY_MIGRATED_TOPIC
  const creationOf = (log: ChainLog, logs: readonly ChainLog[]) => decodeZoraCreation(log, logs, contracts)
  const isCoin = ({ address }: ChainLog, lookup: SourceLookup) => {
    const source = lookup(address)
    return source?.role === 'token' && source.launchpad === launchpad
  }
  return {
    launchpad,
    startBlock,
    contracts: [
      { address: factory, role: 'contract' },
      { address: poolManager, role: 'poolManager' },
      ...(protocolRewards === null ? [] : [{ address: protocolRewards, role: 'contract' } as const]),
      ...(uniswapFactory === null ? [] : [{ address: uniswapFactory, role: 'contract', topics: [[POOL_CREATED_TOPIC]] } as const]),
    ],
    discoveryTopics: new Set([...ZORA_CREATED_TOPICS, LIQUIDITY_MIGRATED_TOPIC]),
    decodedTopics: new Set([...ZORA_CREATED_TOPICS, ...ZORA_COIN_TOPICS, ...PROTOCOL_REWARDS_TOPICS, POOL_CREATED_TOPIC, ...V3_TOPICS]),
    discover: (logs, lookup) => [
      ...launchedSources(logs.filter(isCreation), log => sourcesOf(creationOf(log, logs), launchpad), lookup),
      ...logs
        .filter(log => isMigration(log) && isCoin(log, lookup))
        .flatMap(log => unlessMalformed(() => marketSources({ ...migratedTo(log), token: log.address }, launchpad)) ?? []),
    ],
    discoverFromUnknown: logs =>
      logs.filter(isMigration).flatMap(log => {
        const market = unlessMalformed(() => migratedTo(log))
        return market === null ? [] : marketSources({ ...market, token: log.address }, launchpad).map(({ key }) => key)
      }),
    decode: (transaction, lookup) => {
      const logs = transaction.logs.map(({ log }) => log)
      const ofCoins = decodeZoraCoins(transaction, { launchpad, weth, lookup })
      const others = decodeEach(transaction, ({ log }) => {
        if (isCreation(log)) return launch(log, creationOf(log, logs), transaction, options)
        return log.address === protocolRewards ? decodeProtocolRewards(log, transaction, launchpad, lookup) : []
      })
      const { makers } = ofCoins
      return { events: [...ofCoins.events, ...others.events], malformed: [...ofCoins.malformed, ...others.malformed], makers }
    },
    vestedOf: vested,
    claimCall: target => {
      const { token, currency, scope, amount } = target
      if (scope === 'creator') return protocolRewards === null ? null : withdrawCall(protocolRewards, target)
      const vests = currency === token && amount !== null && amount > 0n
      return vests ? { to: token, data: encodeFunctionData({ abi: CLAIM_VESTING }) } : null
    },
  }
}

/** What has vested of a creator coin, as its contract rounds it. */
function vested({ createdAt, endsAt, at }: Vesting): bigint {
  if (at <= createdAt) return 0n
  return at >= endsAt ? VESTING_SUPPLY : (VESTING_SUPPLY * BigInt(at - createdAt)) / BigInt(endsAt - createdAt)
}

function migratedTo(log: ChainLog): Pick<ZoraCreation, 'pool' | 'hook'> {
  return migratedMarket(log.address, log)
}

function sourcesOf(creation: ZoraCreation, launchpad: string): readonly DiscoveredSource[] {
  return [tokenSource(launchpad, creation.token), ...marketSources(creation, launchpad)]
}

function marketSources(
  { token, pool, hook }: Pick<ZoraCreation, 'token' | 'pool' | 'hook'>,
  launchpad: string,
): readonly DiscoveredSource[] {
  const market = poolSource(launchpad, token, pool, DECIMALS)
  return hook === null || hook === ZERO_ADDRESS ? [market] : [market, { key: hook, source: { role: 'module', launchpad } }]
}

function launch(
  log: ChainLog,
  { token, pool, creator, vesting, texts, surface }: ZoraCreation,
  transaction: TransactionLogs,
  { launchpad, weth }: Pick<AdapterOptions, 'launchpad' | 'weth'>,
): readonly TokenEvent[] {
  const at = { ...eventPosition(log, transaction), token }
  const inEther = isEther(pool.quoteToken, weth)
  const isV4 = pool.type === 'uniswap-v4'
  const events: TokenEvent[] = [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      ...texts,
      surface,
      decimals: DECIMALS,
      // Set in contracts of which there are many versions.
      creatorFeeBps: null,
      // A withdrawal from the escrow names no token.
      feesReported: { accrued: inEther, claimed: inEther && isV4 },
      graduation: { status: 'none', target: null },
    },
    { ...at, kind: 'poolCreated', pool, main: true },
  ]
  // Opens the creator's account: deposits by others count from now on.
  if (inEther && !isV4) events.push(escrowChange(at, { launchpad, creator, currency: ZERO_ADDRESS }))
  if (vesting !== null) {
    const vestingEndsAt = vesting.seconds === null ? null : at.timestamp + vesting.seconds
    events.push({ ...at, kind: 'updated', fields: { vestingClaimed: 0n, vestingEndsAt } }, vestingAccount(at, launchpad, creator))
  }
  return events
}
