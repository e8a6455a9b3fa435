import { decodeEventLog, encodeFunctionData, parseAbi, toEventSelector } from 'viem'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { ratio } from '#domain/decimal.ts'
import type { AdapterKind, AdapterOptions, Decoded, Discovery, LaunchpadAdapter, TransactionLogs, WatchedLog } from './adapter.ts'
import { positionOf } from './position.ts'
import { cleanText, TEXT_LIMITS } from './text.ts'
import type { PoolFacts, TokenEvent } from './tokenEvent.ts'
import { addressTopic, MalformedLogError, wordsOf } from './words.ts'

/*
 * The reference bonding-curve launchpad (src/devchain/contracts/Launchpad.sol, BondingCurve.sol): a curve contract per token that is
 * paid in ETH, graduation into a Uniswap v3 WETH pool, and one escrow in the launchpad for creators' shares.
 */

const LAUNCHED = parseAbi([
  'event TokenLaunched(address indexed token, address indexed creator, address indexed curve, string name, string symbol, string metadataUri, uint256 totalSupply, uint256 virtualWei, uint256 virtualToken, uint256 targetWei, uint16 feeBps, uint16 creatorShareBps)',
])
const CLAIM = parseAbi(['function claim(address token)'])

const TOPICS = {
  launched: toEventSelector(LAUNCHED[0]),
  graduated: toEventSelector('Graduated(address,address,uint256,uint256,uint256)'),
  feeAccrued: toEventSelector('FeeAccrued(address,address,address,uint256)'),
  feeClaimed: toEventSelector('FeeClaimed(address,address,address,address,uint256)'),
  bought: toEventSelector('Bought(address,address,uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
  sold: toEventSelector('Sold(address,address,uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
  completed: toEventSelector('Completed(uint256)'),
} as const

/** The launchpad graduates into the 1 % tier. */
const POOL_FEE_BPS = 100
/** Its tokens and WETH have 18 decimals, so wei per token unit is WETH per token. */
const DECIMALS = 18

export const bondingCurve: AdapterKind = { contracts: ['factory'], create: createBondingCurve }

function createBondingCurve({ launchpad, startBlock, contracts, weth }: AdapterOptions): LaunchpadAdapter {
  const factory = contracts['factory']
  if (factory === undefined) throw new TypeError(`launchpad ${launchpad} has no factory`)

  return {
    launchpad,
    contracts: [factory],
    startBlock,
    discover: logs => logs.filter(log => log.address === factory).flatMap(log => discoverIn(log, launchpad, weth)),
    decode: transaction => decodeTransaction(transaction, { launchpad, factory, weth }),
    claimCall: ({ token }) => ({ to: factory, data: encodeFunctionData({ abi: CLAIM, args: [token] }) }),
  }
}

function discoverIn(log: ChainLog, launchpad: string, weth: Address): readonly Discovery[] {
  try {
    if (log.topics[0] === TOPICS.launched) {
      const token = addressTopic(log.topics, 1)
      const curve = addressTopic(log.topics, 3)
      const { feeBps } = decodeLaunch(log)
      return [
        { address: token, watched: { role: 'token', launchpad, token } },
        {
          address: curve,
          watched: { role: 'pool', launchpad, token, pool: curveFacts(curve, token, weth, feeBps), tokenDecimals: DECIMALS },
        },
      ]
    }
    if (log.topics[0] === TOPICS.graduated) {
      const token = addressTopic(log.topics, 1)
      const pool = addressTopic(log.topics, 2)
      return [{ address: pool, watched: { role: 'pool', launchpad, token, pool: poolFacts(pool, token, weth), tokenDecimals: DECIMALS } }]
    }
  } catch (error) {
    // Decoding the same log counts it as malformed.
    if (!(error instanceof MalformedLogError)) throw error
  }
  return []
}

interface Context {
  readonly launchpad: string
  readonly factory: Address
  readonly weth: Address
}

function decodeTransaction(transaction: TransactionLogs, context: Context): Decoded {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  for (const entry of transaction.logs) {
    const { log, watched } = entry
    try {
      if (log.address === context.factory) events.push(...decodeFactoryLog(entry, transaction, context))
      else if (watched.role === 'pool' && watched.pool.type === 'curve' && watched.launchpad === context.launchpad) {
        events.push(...decodeCurveLog(log, watched.token, transaction))
      }
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(log)
    }
  }
  return { events, malformed }
}

function decodeFactoryLog({ log }: WatchedLog, transaction: TransactionLogs, { launchpad, weth }: Context): readonly TokenEvent[] {
  const at = (token: Address) => ({ ...positionOf(log, transaction), token })
  switch (log.topics[0]) {
    case TOPICS.launched: {
      const token = addressTopic(log.topics, 1)
      const curve = addressTopic(log.topics, 3)
      const launch = decodeLaunch(log)
      return [
        {
          ...at(token),
          kind: 'launch',
          launchpad,
          creator: addressTopic(log.topics, 2),
          symbol: cleanText(launch.symbol, TEXT_LIMITS.symbol),
          name: cleanText(launch.name, TEXT_LIMITS.name),
          decimals: DECIMALS,
          metadataUri: cleanText(launch.metadataUri, TEXT_LIMITS.metadataUri),
          creatorFeeBps: (launch.feeBps * launch.creatorShareBps) / 10_000,
          feesTold: { accrued: true, claimed: true },
          graduation: { status: 'bonding', targetWei: launch.targetWei },
        },
        { ...at(token), kind: 'poolCreated', pool: curveFacts(curve, token, weth, launch.feeBps), main: true },
        {
          ...at(token),
          kind: 'poolChanged',
          pool: curve,
          reserves: { mode: 'set', token: launch.totalSupply, quote: 0n },
          priceWeth: ratio(launch.virtualWei, launch.virtualToken),
          concentrated: null,
          liquidityChange: null,
        },
        { ...at(token), kind: 'curveProgress', raised: { mode: 'set', wei: 0n } },
      ]
    }
    case TOPICS.graduated: {
      const token = addressTopic(log.topics, 1)
      const pool = addressTopic(log.topics, 2)
      return [
        { ...at(token), kind: 'poolCreated', pool: poolFacts(pool, token, weth), main: false },
        { ...at(token), kind: 'migrated', pool },
      ]
    }
    case TOPICS.feeAccrued:
    case TOPICS.feeClaimed: {
      const claimed = log.topics[0] === TOPICS.feeClaimed
      const word = wordsOf(log.data, claimed ? 2 : 1)
      const amount = word(claimed ? 1 : 0)
      return [
        {
          ...at(addressTopic(log.topics, 1)),
          kind: 'creatorFee',
          launchpad,
          creator: addressTopic(log.topics, 2),
          currency: addressTopic(log.topics, 3),
          scope: 'token',
          accrued: claimed ? 0n : amount,
          claimed: claimed ? amount : 0n,
        },
      ]
    }
    default:
      return []
  }
}

function decodeCurveLog(log: ChainLog, token: Address, transaction: TransactionLogs): readonly TokenEvent[] {
  const at = { ...positionOf(log, transaction), token }
  const topic = log.topics[0]
  if (topic === TOPICS.completed) return [{ ...at, kind: 'completed', raisedWei: wordsOf(log.data, 1)(0) }]
  if (topic !== TOPICS.bought && topic !== TOPICS.sold) return []

  const word = wordsOf(log.data, 7)
  const buy = topic === TOPICS.bought
  // Bought: paidWei, feeWei, tokenAmount; Sold: tokenAmount, receivedWei, feeWei; then the reserves after the trade.
  const [amountWei, feeWei, amountToken] = buy ? [word(0), word(1), word(2)] : [word(1), word(2), word(0)]
  const raisedWei = word(5)
  return [
    {
      ...at,
      kind: 'poolChanged',
      pool: log.address,
      reserves: { mode: 'set', token: word(6), quote: raisedWei },
      priceWeth: ratio(word(3), word(4)),
      concentrated: null,
      liquidityChange: null,
    },
    // Who called and paid, not who is named as the recipient of the tokens: anybody may name anybody.
    {
      ...at,
      kind: 'trade',
      pool: log.address,
      phase: 'curve',
      side: buy ? 'buy' : 'sell',
      maker: addressTopic(log.topics, 1),
      amountToken,
      amountWei,
      feeWei,
    },
    { ...at, kind: 'curveProgress', raised: { mode: 'set', wei: raisedWei } },
  ]
}

interface Launch {
  readonly name: string
  readonly symbol: string
  readonly metadataUri: string
  readonly totalSupply: bigint
  readonly virtualWei: bigint
  readonly virtualToken: bigint
  readonly targetWei: bigint
  readonly feeBps: number
  readonly creatorShareBps: number
}

function decodeLaunch(log: ChainLog): Launch {
  try {
    return decodeEventLog({ abi: LAUNCHED, data: log.data, topics: [...log.topics] as [Hex, ...Hex[]] }).args
  } catch (error) {
    throw new MalformedLogError('not a TokenLaunched event', { cause: error })
  }
}

function curveFacts(curve: Address, token: Address, weth: Address, feeBps: number): PoolFacts {
  return { address: curve, type: 'curve', quoteToken: weth, quoteDecimals: DECIMALS, tokenIsToken0: token < weth, feeBps }
}

function poolFacts(pool: Address, token: Address, weth: Address): PoolFacts {
  return { address: pool, type: 'uniswap-v3', quoteToken: weth, quoteDecimals: DECIMALS, tokenIsToken0: token < weth, feeBps: POOL_FEE_BPS }
}
