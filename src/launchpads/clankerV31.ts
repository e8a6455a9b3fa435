import { decodeEventLog, encodeFunctionData, parseAbi, toEventSelector } from 'viem'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { AdapterKind, AdapterOptions, ClaimTarget, Decoded, Discovery, LaunchpadAdapter, TransactionLogs } from './adapter.ts'
import { positionOf } from './position.ts'
import { cleanText, TEXT_LIMITS } from './text.ts'
import type { PoolFacts, TokenEvent } from './tokenEvent.ts'
import { addressTopic, addressWord, MalformedLogError, wordsOf, wordTopic } from './words.ts'

/*
 * Clanker v3.1: a token, its Uniswap v3 pool of the 1 % tier and one locked position are made in one transaction, whose last event says so.
 * What the position earns lies in it until somebody calls the locker's `collectRewards`, which pays everybody's share at once.
 */

const CREATED = parseAbi([
  'event TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256 positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address msgSender)',
])
const COLLECT = parseAbi(['function collectRewards(uint256 tokenId)'])

const TOPICS = {
  created: toEventSelector(CREATED[0]),
  poolCreated: toEventSelector('PoolCreated(address,address,uint24,int24,address)'),
  rewardAdded: toEventSelector('TokenRewardAdded(uint256,uint256,address,address)'),
  claimed: toEventSelector(
    'ClaimedRewards(uint256,address,address,address,address,address,uint256,uint256,uint256,uint256,uint256,uint256)',
  ),
} as const

const POOL_FEE_PIPS = 10_000n
const POOL_FEE_BPS = 100
/** Of its tokens. A token that it is paired with and that is not WETH may have others; nothing is computed with those. */
const DECIMALS = 18

export const clankerV31: AdapterKind = {
  contracts: ['factory', 'locker', 'uniswapFactory'],
  presets: {
    factory: toAddress('0x2A787b2362021cC3eEa3C24C4748a6cD5B687382'),
    locker: toAddress('0x33e2Eda238edcF470309b8c6D228986A1204c8f9'),
    uniswapFactory: toAddress('0x33128a8fC17869897dcE68Ed026d694621f6FDfD'),
  },
  create: createClankerV31,
}

interface Context {
  readonly launchpad: string
  readonly factory: Address
  readonly locker: Address
  readonly uniswapFactory: Address
  readonly weth: Address
}

function createClankerV31({ launchpad, startBlock, contracts, weth }: AdapterOptions): LaunchpadAdapter {
  const { factory, locker, uniswapFactory } = contracts
  if (factory === undefined || locker === undefined || uniswapFactory === undefined) {
    throw new TypeError(`launchpad ${launchpad} lacks a factory, locker or uniswapFactory`)
  }
  const context = { launchpad, factory, locker, uniswapFactory, weth }
  return {
    launchpad,
    contracts: [factory, locker, uniswapFactory],
    startBlock,
    discover: logs => discover(logs, context),
    decode: transaction => decode(transaction, context),
    claimCall: ({ claimId }: ClaimTarget) =>
      claimId === null ? null : { to: locker, data: encodeFunctionData({ abi: COLLECT, args: [claimId] }) },
  }
}

function discover(logs: readonly ChainLog[], context: Context): readonly Discovery[] {
  const { launchpad } = context
  return logs.filter(isCreation(context)).flatMap((log): readonly Discovery[] => {
    try {
      decodeCreation(log)
      const token = addressTopic(log.topics, 1)
      const pool = poolOf(token, log, logs, context)
      const discovery: Discovery = { address: token, watched: { role: 'token', launchpad, token } }
      if (pool === null) return [discovery]
      return [discovery, { address: pool.address, watched: { role: 'pool', launchpad, token, pool, tokenDecimals: DECIMALS } }]
    } catch (error) {
      // Decoding the same log counts it as malformed.
      if (!(error instanceof MalformedLogError)) throw error
      return []
    }
  })
}

function decode(transaction: TransactionLogs, context: Context): Decoded {
  const logs = transaction.logs.map(({ log }) => log)
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  for (const log of logs) {
    try {
      if (isCreation(context)(log)) events.push(...launch(log, logs, transaction, context))
      else if (log.address === context.locker && log.topics[0] === TOPICS.claimed) events.push(...claim(log, transaction, context))
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(log)
    }
  }
  return { events, malformed }
}

function isCreation({ factory }: Context): (log: ChainLog) => boolean {
  return log => log.address === factory && log.topics[0] === TOPICS.created
}

function launch(log: ChainLog, logs: readonly ChainLog[], transaction: TransactionLogs, context: Context): readonly TokenEvent[] {
  const token = addressTopic(log.topics, 1)
  const { name, symbol, metadata, positionId, creatorRewardRecipient } = decodeCreation(log)
  const at = { ...positionOf(log, transaction), token }
  const pool = poolOf(token, log, logs, context)
  const launched: TokenEvent = {
    ...at,
    kind: 'launch',
    launchpad: context.launchpad,
    creator: addressTopic(log.topics, 2),
    symbol: cleanText(symbol, TEXT_LIMITS.symbol),
    name: cleanText(name, TEXT_LIMITS.name),
    decimals: DECIMALS,
    metadataUri: cleanText(metadata, TEXT_LIMITS.metadataUri),
    creatorFeeBps: creatorFeeBps(positionId, log, logs, context),
    feesTold: { accrued: false, claimed: pool?.quoteToken === context.weth },
    graduation: { status: 'none', targetWei: null },
  }
  if (pool === null) return [launched]
  // Nothing is earned yet, but who may collect is known. Without a recipient the creator's share is the team's.
  const recipient = toAddress(creatorRewardRecipient)
  const fees =
    recipient === ZERO_ADDRESS ? [] : [pool.quoteToken, token].map(currency => fee({ at, context, recipient, currency, positionId }))
  return [launched, { ...at, kind: 'poolCreated', pool, main: true }, ...fees]
}

/** The pool that the factory made for the token earlier in the transaction of its creation. */
function poolOf(token: Address, creation: ChainLog, logs: readonly ChainLog[], { uniswapFactory }: Context): PoolFacts | null {
  const created = logs.findLast(
    log =>
      log.txHash === creation.txHash &&
      log.logIndex < creation.logIndex &&
      log.address === uniswapFactory &&
      log.topics[0] === TOPICS.poolCreated &&
      wordTopic(log.topics, 3) === POOL_FEE_PIPS &&
      (addressTopic(log.topics, 1) === token || addressTopic(log.topics, 2) === token),
  )
  if (created === undefined) return null
  const tokenIsToken0 = addressTopic(created.topics, 1) === token
  return {
    address: addressWord(wordsOf(created.data, 2)(1)),
    type: 'uniswap-v3',
    quoteToken: addressTopic(created.topics, tokenIsToken0 ? 2 : 1),
    quoteDecimals: DECIMALS,
    tokenIsToken0,
    feeBps: POOL_FEE_BPS,
  }
}

/** The creator's share of a trade: of the pool's 1 %, so many percent as the locker was told; that many basis points. */
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

/** What a collection paid to the creator's recipient of the moment. */
function claim(log: ChainLog, transaction: TransactionLogs, context: Context): readonly TokenEvent[] {
  const positionId = wordTopic(log.topics, 1)
  const recipient = addressTopic(log.topics, 2)
  const word = wordsOf(log.data, 9)
  const [token0, token1] = [addressWord(word(1)), addressWord(word(2))]
  const token = tokenOf(token0, token1, log, transaction, context)
  if (token === null) return []
  const at = { ...positionOf(log, transaction), token }
  return [
    fee({ at, context, recipient, currency: token0, positionId, claimed: word(3) }),
    fee({ at, context, recipient, currency: token1, positionId, claimed: word(4) }),
  ]
}

/** Which of a position's two tokens is the launched one: as its pool is known, whose logs stand before; else the one that is not WETH. */
function tokenOf(
  token0: Address,
  token1: Address,
  { logIndex }: ChainLog,
  transaction: TransactionLogs,
  { weth }: Context,
): Address | null {
  const pool = transaction.logs.findLast(
    ({ log, watched }) =>
      log.logIndex < logIndex &&
      watched.role === 'pool' &&
      [watched.token, watched.pool.quoteToken].every(currency => currency === token0 || currency === token1),
  )
  if (pool?.watched.role === 'pool') return pool.watched.token
  if (token0 === weth) return token1
  return token1 === weth ? token0 : null
}

interface Fee {
  readonly at: ReturnType<typeof positionOf> & { readonly token: Address }
  readonly context: Context
  readonly recipient: Address
  readonly currency: Address
  readonly positionId: bigint
  readonly claimed?: bigint
}

function fee({ at, context: { launchpad }, recipient, currency, positionId, claimed = 0n }: Fee): TokenEvent {
  const shared = { ...at, kind: 'creatorFee', launchpad, creator: recipient, currency, scope: 'token' } as const
  return { ...shared, accrued: null, claimed, claimId: positionId }
}

function decodeCreation(log: ChainLog) {
  try {
    return decodeEventLog({ abi: CREATED, data: log.data, topics: [...log.topics] as [Hex, ...Hex[]] }).args
  } catch (error) {
    throw new MalformedLogError('not a TokenCreated event', { cause: error })
  }
}
