import { numberToHex, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import {
  type AdapterKind,
  type AdapterOptions,
  contractsOf,
  decodeEach,
  type LaunchpadAdapter,
  type SourcedLog,
  type TransactionLogs,
} from '#launchpads/adapter.ts'
import { type DiscoveredSource, launchedSources, poolSource, positionKey, tokenSource } from '#launchpads/logSource.ts'
import { TRANSFER_TOPIC } from '#launchpads/maker.ts'
import { CLAIMED_TOPIC, lpLockerV2, readClaimed } from '#launchpads/pools/lpPositionFees.ts'
import { pairAmounts } from '#launchpads/pools/poolTrade.ts'
import { POOL_CREATED_TOPIC, poolsCreated, V3_TOPICS } from '#launchpads/pools/uniswapV3.ts'
import {
  eventPosition,
  type PoolFacts,
  poolChanged,
  type TokenEvent,
  type TokenEventOf,
  type TokenEventPosition,
} from '#launchpads/tokenEvent.ts'
import { addressTopic, addressWord, decodeEvent, wordsOf, wordTopic } from '#launchpads/words.ts'
import { CLANKER_TOKEN_TOPICS, decodeClankerToken } from './clankerToken.ts'

/*
 * Clanker v3.1. One transaction makes a token, its Uniswap v3 pool of the 1 % tier and one locked LP position, and ends with the creation
 * event. The position's fees stay in it until an account calls the locker's `collectRewards`, which pays all shares.
 */

const [CREATED] = parseAbi([
  'event TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256 positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address msgSender)',
])

const TOPICS = {
  created: toEventSelector(CREATED),
  poolCreated: POOL_CREATED_TOPIC,
  rewardAdded: toEventSelector('TokenRewardAdded(uint256,uint256,address,address)'),
  claimed: CLAIMED_TOPIC,
  recipientUpdated: toEventSelector('CreatorRewardRecipientUpdated(uint256,address,address)'),
  interfaceUpdated: toEventSelector('InterfaceRewardRecipientUpdated(uint256,address,address)'),
} as const

const POOL_FEE_PIPS = 10_000n
const POOL_FEE_BPS = 100
const DECIMALS = 18

export const clankerV31: AdapterKind = {
  version: 3,
  contracts: ['factory', 'locker', 'uniswapFactory'],
  presets: {
    factory: toAddress('0x2A787b2362021cC3eEa3C24C4748a6cD5B687382'),
    locker: toAddress('0x33e2Eda238edcF470309b8c6D228986A1204c8f9'),
    uniswapFactory: toAddress('0x33128a8fC17869897dcE68Ed026d694621f6FDfD'),
  },
  derivedContracts: { uniswapFactory: [['uniswapV3Factory()']] },
  create: createClankerV31,
}

type Context = Readonly<Record<'factory' | 'locker' | 'uniswapFactory' | 'weth', Address>> & { readonly launchpad: string }

function createClankerV31(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock, weth } = options
  const { factory, locker, uniswapFactory } = contractsOf(options, ['factory', 'locker', 'uniswapFactory'])
  const context = { launchpad, factory, locker, uniswapFactory, weth }
  const lpPositions = lpLockerV2(locker)
  const isCreation = (log: ChainLog) => log.address === factory && log.topics[0] === TOPICS.created
  return {
    launchpad,
    startBlock,
    contracts: [
      { address: factory, role: 'contract' },
      { address: locker, role: 'locker' },
      {
        address: uniswapFactory,
        role: 'contract',
        topics: [[TOPICS.poolCreated], null, null, [numberToHex(POOL_FEE_PIPS, { size: 32 })]],
      },
    ],
    lpPositions,
    discoveryTopics: new Set([TOPICS.created]),
    decodedTopics: new Set([...Object.values(TOPICS), ...CLANKER_TOKEN_TOPICS, ...V3_TOPICS]),
    discover: (logs, lookup) => launchedSources(logs.filter(isCreation), log => sourcesOf(log, logs, context), lookup),
    decode: transaction => {
      const logs = transaction.logs.map(({ log }) => log)
      return decodeEach(transaction, entry => {
        if (isCreation(entry.log)) return launch(entry.log, logs, transaction, context)
        return entry.source.role === 'token' ? decodeClankerToken(entry, transaction, launchpad) : decodeLocker(entry, transaction, context)
      })
    },
    claimCall: ({ claimId, amount }) => (claimId === null || amount === 0n ? null : lpPositions.collectCall(claimId)),
  }
}

function sourcesOf(creation: ChainLog, logs: readonly ChainLog[], context: Context): readonly DiscoveredSource[] {
  const { launchpad, locker } = context
  const { positionId, vaultPercentage } = decodeEvent(CREATED, creation)
  const token = addressTopic(creation.topics, 1)
  const pool = findPool(token, positionId, creation, logs, context)
  const vault = vaultPercentage === 0 ? null : findVault(token, creation, logs, context)
  return [
    tokenSource(launchpad, token),
    ...(vault === null ? [] : [{ key: vault, source: { role: 'contract', launchpad } } as const]),
    ...(pool === null
      ? []
      : [
          poolSource(launchpad, token, pool, DECIMALS),
          { key: positionKey(locker, positionId), source: { role: 'position', launchpad, token, pool } } as const,
        ]),
  ]
}

function launch(log: ChainLog, logs: readonly ChainLog[], transaction: TransactionLogs, context: Context): readonly TokenEvent[] {
  const { launchpad, weth } = context
  const { name, symbol, metadata, positionId, creatorRewardRecipient } = decodeEvent(CREATED, log)
  const at = { ...eventPosition(log, transaction), token: addressTopic(log.topics, 1) }
  const pool = findPool(at.token, positionId, log, logs, context)
  const creator = addressTopic(log.topics, 2)
  const launched: TokenEvent = {
    ...at,
    kind: 'launch',
    launchpad,
    creator,
    ...cleanTokenTexts({ symbol, name, metadataUri: metadata }),
    decimals: DECIMALS,
    creatorFeeBps: creatorFeeBps(positionId, log, logs, context),
    feesReported: { accrued: false, claimed: pool?.quoteToken === weth },
    graduation: { status: 'none', target: null },
  }
  // The image is in no event of the launch.
  const described: TokenEvent = { ...at, kind: 'updated', fields: { admin: creator } }
  if (pool === null) return [launched, described]
  // Opens the recipient's accounts. Without a recipient the creator's share goes to the team.
  const recipient = toAddress(creatorRewardRecipient)
  const accounts = recipientFees({ at, launchpad, positionId }, recipient, pool)
  return [launched, described, { ...at, kind: 'poolCreated', pool, main: true }, ...accounts]
}

/**
 * The pool that the factory made. The factory deploys the token, which mints, then creates the pool, and only then calls a foreign
 * contract, the paired token. So it is the first pool after the mint: other accounts may have created pools before, the paired token later.
 */
function findPool(
  token: Address,
  positionId: bigint,
  creation: ChainLog,
  logs: readonly ChainLog[],
  { uniswapFactory }: Context,
): PoolFacts | null {
  const [minted] = transfersOf(token, creation, logs)
  const made = poolsCreated(token, creation, logs, uniswapFactory).find(
    ({ feePips, logIndex }) => feePips === POOL_FEE_PIPS && logIndex > (minted?.logIndex ?? -1),
  )
  return made === undefined ? null : { ...made.facts, positionId }
}

/** The contract that keeps a part of the supply for the creator: before it makes the pool, the factory pays nothing else out. */
function findVault(token: Address, creation: ChainLog, logs: readonly ChainLog[], { factory }: Context): Address | null {
  const paid = transfersOf(token, creation, logs).find(log => addressTopic(log.topics, 1) === factory)
  return paid === undefined ? null : addressTopic(paid.topics, 2)
}

function transfersOf(token: Address, { txHash }: ChainLog, logs: readonly ChainLog[]): readonly ChainLog[] {
  return logs.filter(log => log.address === token && log.topics[0] === TRANSFER_TOPIC && log.txHash === txHash)
}

/** The creator's share of a trade. The locker gives it in percent of the pool's fee, which is 1 %. */
function creatorFeeBps(positionId: bigint, creation: ChainLog, logs: readonly ChainLog[], { locker }: Context): number | null {
  const added = logs.find(
    log =>
      log.txHash === creation.txHash &&
      log.address === locker &&
      log.topics[0] === TOPICS.rewardAdded &&
      wordsOf(log.data, 2)(0) === positionId,
  )
  return added === undefined ? null : Number((wordsOf(added.data, 2)(1) * BigInt(POOL_FEE_BPS)) / 100n)
}

function decodeLocker({ log, source }: SourcedLog, transaction: TransactionLogs, { launchpad }: Context): readonly TokenEvent[] {
  if (source.role !== 'position' || source.launchpad !== launchpad) return []
  const { token, pool } = source
  const position: Position = { at: { ...eventPosition(log, transaction), token }, launchpad, positionId: wordTopic(log.topics, 1) }
  switch (log.topics[0]) {
    case TOPICS.claimed: {
      const { recipient, amount0, amount1 } = readClaimed(log)
      const paid = pairAmounts(pool, amount0, amount1)
      // Counts as accrued, too: no other event tells what an account other than the creator's, such as the team's, has earned.
      return [
        feeChange(position, recipient, pool.quoteToken, { accrued: paid.quote, claimed: paid.quote }),
        feeChange(position, recipient, token, { accrued: paid.token, claimed: paid.token }),
      ]
    }
    case TOPICS.recipientUpdated: {
      const from = addressTopic(log.topics, 2)
      const to = addressWord(wordsOf(log.data, 1)(0))
      if (from === to) return []
      return [
        // Marks the position's uncollected fees as stale: they are another account's now.
        poolChanged(position.at, pool.address, {}),
        ...recipientFees(position, from, pool, { accrued: 0n, handover: 'from' }),
        ...recipientFees(position, to, pool, { accrued: null, handover: 'to' }),
      ]
    }
    case TOPICS.interfaceUpdated:
      // The interface's recipient may become, or cease to be, the creator's recipient, who is then paid both shares.
      return [poolChanged(position.at, pool.address, {})]
    default:
      return []
  }
}

interface Position {
  readonly at: TokenEventPosition
  readonly launchpad: string
  readonly positionId: bigint
}

type FeeChange = Pick<TokenEventOf<'creatorFee'>, 'accrued' | 'handover'> & { readonly claimed?: bigint }

/** The same change in both of the pool's currencies. By default it opens the recipient's accounts. */
function recipientFees(
  position: Position,
  recipient: Address,
  pool: PoolFacts,
  change: FeeChange = { accrued: null },
): readonly TokenEvent[] {
  if (recipient === ZERO_ADDRESS) return []
  return [pool.quoteToken, position.at.token].map(currency => feeChange(position, recipient, currency, change))
}

function feeChange({ at, launchpad, positionId }: Position, creator: Address, currency: Address, change: FeeChange): TokenEvent {
  return { ...at, kind: 'creatorFee', launchpad, creator, currency, scope: 'token', claimed: 0n, ...change, claimId: positionId }
}
