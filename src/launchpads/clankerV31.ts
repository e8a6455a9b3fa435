import { decodeEventLog, numberToHex, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type {
  AdapterKind,
  AdapterOptions,
  ClaimTarget,
  Decoded,
  Discovery,
  LaunchpadAdapter,
  TransactionLogs,
  WatchedLog,
} from './adapter.ts'
import { positionKey } from './directory.ts'
import { positionOf } from './eventPosition.ts'
import { poolChanged } from './poolChanged.ts'
import { CLAIMED_TOPIC, lpLockerV2, type PositionRewards } from './positionRewards.ts'
import { cleanText, TEXT_LIMITS } from './text.ts'
import type { EventPosition, PoolFacts, TokenEvent, TokenEventOf } from './tokenEvent.ts'
import { V3_TOPICS } from './uniswapV3.ts'
import { addressTopic, addressWord, MalformedLogError, wordsOf, wordTopic } from './words.ts'

/*
 * Clanker v3.1: a token, its Uniswap v3 pool of the 1 % tier and one locked position are made in one transaction, whose last event says so.
 * What the position earns lies in it until somebody calls the locker's `collectRewards`, which pays everybody's share at once.
 */

const CREATED = parseAbi([
  'event TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256 positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address msgSender)',
])

const TOPICS = {
  created: toEventSelector(CREATED[0]),
  poolCreated: toEventSelector('PoolCreated(address,address,uint24,int24,address)'),
  rewardAdded: toEventSelector('TokenRewardAdded(uint256,uint256,address,address)'),
  claimed: CLAIMED_TOPIC,
  handedOver: toEventSelector('CreatorRewardRecipientUpdated(uint256,address,address)'),
} as const

const POOL_FEE_PIPS = 10_000n
const POOL_FEE_TOPIC = numberToHex(POOL_FEE_PIPS, { size: 32 })
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
  told: { uniswapFactory: { by: 'factory', getter: 'uniswapV3Factory()' } },
  create: createClankerV31,
}

interface Context {
  readonly launchpad: string
  readonly factory: Address
  readonly locker: Address
  readonly uniswapFactory: Address
  readonly weth: Address
  readonly positions: PositionRewards
}

function createClankerV31({ launchpad, startBlock, contracts, weth }: AdapterOptions): LaunchpadAdapter {
  const { factory, locker, uniswapFactory } = contracts
  if (factory === undefined || locker === undefined || uniswapFactory === undefined) {
    throw new TypeError(`launchpad ${launchpad} lacks a factory, locker or uniswapFactory`)
  }
  const positions = lpLockerV2(locker)
  const context = { launchpad, factory, locker, uniswapFactory, weth, positions }
  return {
    launchpad,
    contracts: [factory, locker, uniswapFactory],
    positions,
    topics: new Map([[uniswapFactory, [[TOPICS.poolCreated], null, null, [POOL_FEE_TOPIC]]]]),
    startBlock,
    announcing: new Set([TOPICS.created]),
    understood: new Set([...Object.values(TOPICS), ...V3_TOPICS]),
    discover: logs => discover(logs, context),
    decode: transaction => decode(transaction, context),
    claimCall: ({ claimId, amount }: ClaimTarget) => (claimId === null || amount === 0n ? null : positions.collectCall(claimId)),
  }
}

function discover(logs: readonly ChainLog[], context: Context): readonly Discovery[] {
  const { launchpad } = context
  return logs.filter(isCreation(context)).flatMap((log): readonly Discovery[] => {
    try {
      const { positionId } = decodeCreation(log)
      const token = addressTopic(log.topics, 1)
      const pool = poolOf(token, positionId, log, logs, context)
      const discovery: Discovery = { address: token, watched: { role: 'token', launchpad, token } }
      if (pool === null) return [discovery]
      return [
        discovery,
        { address: pool.address, watched: { role: 'pool', launchpad, token, pool, tokenDecimals: DECIMALS } },
        { address: positionKey(context.locker, positionId), watched: { role: 'position', launchpad, token, pool } },
      ]
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
  for (const entry of transaction.logs) {
    try {
      if (isCreation(context)(entry.log)) events.push(...launch(entry.log, logs, transaction, context))
      else events.push(...decodePosition(entry, transaction, context))
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(entry.log)
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
  const position: Position = { at: { ...positionOf(log, transaction), token }, launchpad: context.launchpad, positionId }
  const pool = poolOf(token, positionId, log, logs, context)
  const launched: TokenEvent = {
    ...position.at,
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
  const fees = recipientFees(position, toAddress(creatorRewardRecipient), pool, { accrued: null })
  return [launched, { ...position.at, kind: 'poolCreated', pool, main: true }, ...fees]
}

/** The pool that the factory made for the token earlier in the transaction of its creation. */
function poolOf(
  token: Address,
  positionId: bigint,
  creation: ChainLog,
  logs: readonly ChainLog[],
  { uniswapFactory }: Context,
): PoolFacts | null {
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
    positionId,
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

/** What became of a position's rewards: collected, or handed over by the creator. */
function decodePosition({ log, watched }: WatchedLog, transaction: TransactionLogs, { launchpad }: Context): readonly TokenEvent[] {
  if (watched.role !== 'position' || watched.launchpad !== launchpad) return []
  const { token, pool } = watched
  const position: Position = { at: { ...positionOf(log, transaction), token }, launchpad, positionId: wordTopic(log.topics, 1) }
  switch (log.topics[0]) {
    case TOPICS.claimed: {
      const word = wordsOf(log.data, 9)
      // Paid out is earned: whoever is not the creator's recipient, as the team where there is none, has nothing left in the position.
      const paid = (index: number) => ({ accrued: word(index), claimed: word(index) })
      const [paidToken, paidQuote] = pool.tokenIsToken0 ? [paid(3), paid(4)] : [paid(4), paid(3)]
      const recipient = addressTopic(log.topics, 2)
      return [fee(position, recipient, pool.quoteToken, paidQuote), fee(position, recipient, token, paidToken)]
    }
    case TOPICS.handedOver: {
      const from = addressTopic(log.topics, 2)
      const to = addressWord(wordsOf(log.data, 1)(0))
      if (from === to) return []
      return [
        // The pool has not moved, and yet what lies in the position is to be asked for anew: it is another's.
        poolChanged(position.at, pool.address, {}),
        ...recipientFees(position, from, pool, { accrued: 0n, handover: 'from' }),
        ...recipientFees(position, to, pool, { accrued: null, handover: 'to' }),
      ]
    }
    default:
      return []
  }
}

interface Position {
  readonly at: EventPosition & { readonly token: Address }
  readonly launchpad: string
  readonly positionId: bigint
}

type FeeChange = Pick<TokenEventOf<'creatorFee'>, 'accrued' | 'handover'> & { readonly claimed?: bigint }

/** The same for both of a position's tokens. */
function recipientFees(position: Position, recipient: Address, pool: PoolFacts, change: FeeChange): readonly TokenEvent[] {
  if (recipient === ZERO_ADDRESS) return []
  return [pool.quoteToken, position.at.token].map(currency => fee(position, recipient, currency, change))
}

function fee({ at, launchpad, positionId }: Position, creator: Address, currency: Address, change: FeeChange): TokenEvent {
  return {
    ...at,
    kind: 'creatorFee',
    launchpad,
    creator,
    currency,
    scope: 'token',
    claimed: 0n,
    ...change,
    claimId: positionId,
  }
}

function decodeCreation(log: ChainLog) {
  try {
    return decodeEventLog({ abi: CREATED, data: log.data, topics: [...log.topics] as [Hex, ...Hex[]] }).args
  } catch (error) {
    throw new MalformedLogError('not a TokenCreated event', { cause: error })
  }
}
