import { decodeEventLog, encodeFunctionData, keccak256, parseAbi, toEventSelector, toHex } from 'viem/utils'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { AdapterKind, AdapterOptions, ClaimTarget, Decoded, Discovery, LaunchpadAdapter, TransactionLogs } from './adapter.ts'
import { positionOf } from './eventPosition.ts'
import { poolChanged } from './poolChanged.ts'
import { cleanText, TEXT_LIMITS } from './text.ts'
import type { PoolFacts, TokenEvent } from './tokenEvent.ts'
import { V3_TOPICS } from './uniswapV3.ts'
import { addressTopic, addressWord, MalformedLogError, wordsOf, wordTopic } from './words.ts'
import { WOW_CURVE_SUPPLY, wowCostOf, wowPriceAt } from './wowCurve.ts'
import { decodeWowTokens, TOKEN_TOPICS } from './wowTrades.ts'

/*
 * Zora's WOW: a token that is its own curve, minting what it sells and burning what it takes back; a Uniswap v3 WETH pool that exists from
 * creation and gets its liquidity at graduation; and ProtocolRewards, one escrow in ETH for all that an account earns anywhere.
 */

const CREATED = parseAbi([
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])
const WITHDRAW = parseAbi(['function withdraw(address to, uint256 amount)'])

const TOPICS = {
  created: toEventSelector(CREATED[0]),
  deposit: toEventSelector('Deposit(address,address,bytes4,uint256,string)'),
  rewardsDeposit: toEventSelector(
    'RewardsDeposit(address,address,address,address,address,address,uint256,uint256,uint256,uint256,uint256)',
  ),
  withdraw: toEventSelector('Withdraw(address,address,uint256)'),
} as const

/** The creator's share of the pool position's fees, which `WowTokenFees` does not tell. */
const SECONDARY_REWARD = keccak256(toHex('WOW_CREATOR_SECONDARY_REWARD')).slice(0, 10)

/** A fee of 1 %, half of it the creator's. */
const CURVE_FEE_BPS = 100
const CREATOR_FEE_BPS = 50
/** WOW pools are of the 1 % tier. */
const POOL_FEE_BPS = 100
const DECIMALS = 18

export const wow: AdapterKind = {
  contracts: ['factory', 'protocolRewards'],
  presets: {
    factory: toAddress('0x997020E5F59cCB79C74D527Be492Cc610CB9fA2B'),
    protocolRewards: toAddress('0x7777777F279eba3d3Ad8F4E708545291A6fDBA8B'),
  },
  create: createWow,
}

interface Context {
  readonly launchpad: string
  readonly factory: Address
  readonly protocolRewards: Address
  readonly weth: Address
}

function createWow({ launchpad, startBlock, contracts, weth }: AdapterOptions): LaunchpadAdapter {
  const { factory, protocolRewards } = contracts
  if (factory === undefined || protocolRewards === undefined) throw new TypeError(`launchpad ${launchpad} lacks a contract`)
  const context: Context = { launchpad, factory, protocolRewards, weth }
  return {
    launchpad,
    contracts: [factory, protocolRewards],
    startBlock,
    announcing: new Set([TOPICS.created]),
    understood: new Set([...Object.values(TOPICS), ...TOKEN_TOPICS, ...V3_TOPICS]),
    discover: logs =>
      logs.filter(log => log.address === factory && log.topics[0] === TOPICS.created).flatMap(log => discoverIn(log, context)),
    decode: transaction => decodeTransaction(transaction, context),
    claimCall: target => claimCall(target, protocolRewards),
  }
}

/** Paid out to the creator. The amount is said, though the escrow would take zero for all: other deposits may be none of ours. */
function claimCall({ creator, amount }: ClaimTarget, protocolRewards: Address) {
  return amount !== null && amount > 0n
    ? { to: protocolRewards, data: encodeFunctionData({ abi: WITHDRAW, args: [creator, amount] }) }
    : null
}

function discoverIn(log: ChainLog, { launchpad, weth }: Context): readonly Discovery[] {
  try {
    const { token, pool, hasCurve } = decodeCreated(log)
    const own: Discovery['watched'] = hasCurve
      ? { role: 'tokenCurve', launchpad, token, pool: curveFacts(token, weth), tokenDecimals: DECIMALS }
      : { role: 'token', launchpad, token }
    return [
      { address: token, watched: own },
      { address: pool, watched: { role: 'pool', launchpad, token, pool: poolFacts(pool, token, weth), tokenDecimals: DECIMALS } },
    ]
  } catch (error) {
    // Decoding the same log counts it as malformed.
    if (!(error instanceof MalformedLogError)) throw error
    return []
  }
}

function decodeTransaction(transaction: TransactionLogs, context: Context): Decoded {
  const { launchpad, factory, protocolRewards } = context
  const own = decodeWowTokens(transaction, launchpad)
  const events: TokenEvent[] = [...own.events]
  const malformed: ChainLog[] = [...own.malformed]
  for (const { log } of transaction.logs) {
    try {
      if (log.address === factory && log.topics[0] === TOPICS.created) events.push(...decodeLaunch(log, transaction, context))
      else if (log.address === protocolRewards) events.push(...decodeRewards(log, transaction, launchpad))
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(log)
    }
  }
  return { events, malformed, makers: own.makers }
}

function decodeLaunch(log: ChainLog, transaction: TransactionLogs, { launchpad, weth }: Context): readonly TokenEvent[] {
  const created = decodeCreated(log)
  const { token, pool, hasCurve, creator } = created
  const at = { ...positionOf(log, transaction), token }
  const events: TokenEvent[] = [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      symbol: cleanText(created.symbol, TEXT_LIMITS.symbol),
      name: cleanText(created.name, TEXT_LIMITS.name),
      decimals: DECIMALS,
      metadataUri: cleanText(created.tokenURI, TEXT_LIMITS.metadataUri),
      creatorFeeBps: CREATOR_FEE_BPS,
      // The escrow does not tell tokens apart.
      feesTold: { accrued: true, claimed: false },
      graduation: hasCurve ? { status: 'bonding', targetWei: wowCostOf(WOW_CURVE_SUPPLY) } : { status: 'none', targetWei: null },
    },
    // A creator is known to the escrow from here on, whoever pays in.
    escrowed(log, transaction, { launchpad, account: creator }),
    { ...at, kind: 'poolCreated', pool: poolFacts(pool, token, weth), main: !hasCurve },
  ]
  if (hasCurve) {
    events.push(
      { ...at, kind: 'poolCreated', pool: curveFacts(token, weth), main: true },
      poolChanged(at, token, { reserves: { mode: 'set', token: WOW_CURVE_SUPPLY, quote: 0n }, priceWeth: wowPriceAt(0n) }),
      { ...at, kind: 'curveProgress', raised: { mode: 'set', wei: 0n }, targetSupply: WOW_CURVE_SUPPLY },
    )
  }
  return events
}

/** What moved accounts' ETH in the escrow. What a token of ours pays in is bounded by its trades; the rest counts for known accounts only. */
function decodeRewards(log: ChainLog, transaction: TransactionLogs, launchpad: string): readonly TokenEvent[] {
  switch (log.topics[0]) {
    case TOPICS.deposit: {
      const from = addressTopic(log.topics, 1)
      const account = addressTopic(log.topics, 2)
      const accrued = wordsOf(log.data, 1)(0)
      const ours = transaction.logs.some(
        ({ log, watched }) =>
          log.address === from && watched.role !== 'contract' && watched.role !== 'locker' && watched.launchpad === launchpad,
      )
      if (!ours) return [escrowed(log, transaction, { launchpad, account, accrued, onlyKnown: true })]
      const deposit = escrowed(log, transaction, { launchpad, account, accrued })
      const isSecondary = toHex(wordTopic(log.topics, 3), { size: 32 }).startsWith(SECONDARY_REWARD)
      return isSecondary
        ? [deposit, { ...positionOf(log, transaction), token: from, kind: 'creatorShare', accruedWei: accrued }]
        : [deposit]
    }
    case TOPICS.rewardsDeposit: {
      const word = wordsOf(log.data, 8)
      const accounts = [
        addressTopic(log.topics, 1),
        addressTopic(log.topics, 2),
        addressTopic(log.topics, 3),
        addressWord(word(0)),
        addressWord(word(1)),
      ]
      return accounts.map((account, index) => escrowed(log, transaction, { launchpad, account, accrued: word(3 + index), onlyKnown: true }))
    }
    case TOPICS.withdraw: {
      // Also for a withdrawal by signature or on somebody's behalf: the first address is whose money it was.
      const account = addressTopic(log.topics, 1)
      return [escrowed(log, transaction, { launchpad, account, claimed: wordsOf(log.data, 1)(0), onlyKnown: true })]
    }
    default:
      return []
  }
}

interface Escrowed {
  readonly launchpad: string
  readonly account: Address
  readonly accrued?: bigint
  readonly claimed?: bigint
  readonly onlyKnown?: true
}

function escrowed(log: ChainLog, transaction: TransactionLogs, change: Escrowed): TokenEvent {
  const { launchpad, account, accrued = 0n, claimed = 0n, onlyKnown } = change
  return {
    ...positionOf(log, transaction),
    token: ZERO_ADDRESS,
    kind: 'creatorFee',
    launchpad,
    creator: account,
    currency: ZERO_ADDRESS,
    scope: 'creator',
    accrued,
    claimed,
    ...(onlyKnown && { onlyKnown }),
  }
}

interface Created {
  readonly token: Address
  readonly pool: Address
  readonly creator: Address
  /** Later contracts behind the same factory announce no curve: their tokens begin in the pool. */
  readonly hasCurve: boolean
  readonly tokenURI: string
  readonly name: string
  readonly symbol: string
}

function decodeCreated(log: ChainLog): Created {
  try {
    const { args } = decodeEventLog({ abi: CREATED, data: log.data, topics: [...log.topics] as [Hex, ...Hex[]] })
    const { tokenURI, name, symbol } = args
    const hasCurve = toAddress(args.bondingCurve) !== ZERO_ADDRESS
    return {
      token: toAddress(args.tokenAddress),
      pool: toAddress(args.poolAddress),
      creator: toAddress(args.tokenCreator),
      hasCurve,
      tokenURI,
      name,
      symbol,
    }
  } catch (error) {
    throw new MalformedLogError('not a WowTokenCreated event', { cause: error })
  }
}

function curveFacts(token: Address, weth: Address): PoolFacts {
  return { ...poolFacts(token, token, weth), type: 'curve', feeBps: CURVE_FEE_BPS }
}

function poolFacts(pool: Address, token: Address, weth: Address): PoolFacts {
  return { address: pool, type: 'uniswap-v3', quoteToken: weth, quoteDecimals: DECIMALS, tokenIsToken0: token < weth, feeBps: POOL_FEE_BPS }
}
