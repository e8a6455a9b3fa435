import { keccak256, parseAbi, toEventSelector, toHex } from 'viem/utils'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type Decimal, ratio } from '#domain/decimal.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import type { TradeSide } from '#domain/trade.ts'
import {
  type AdapterKind,
  type AdapterOptions,
  contractsOf,
  type DecodedTransaction,
  decodeEach,
  type LaunchpadAdapter,
  type TransactionLogs,
} from '#launchpads/adapter.ts'
import { type DiscoveredSource, launchedSources, poolSource, type SourceLookup, tokenSource } from '#launchpads/logSource.ts'
import { POOL_CREATED_TOPIC, poolsCreated, SWAP_TOPIC, V3_TOPICS } from '#launchpads/pools/uniswapV3.ts'
import {
  escrowChange,
  eventPosition,
  type PoolFacts,
  poolChanged,
  poolFacts,
  type TokenEvent,
  type TokenEventPosition,
} from '#launchpads/tokenEvent.ts'
import { addressTopic, decodeEvent, unlessMalformed, wordsByName, wordsOf, wordTopic } from '#launchpads/words.ts'
import { surfaceOfReferrer } from './clankerToken.ts'
import {
  COIN_CREATED_TOPICS,
  decodeCoinCreated,
  decodeProtocolRewards,
  depositor,
  PROTOCOL_REWARDS_TOPICS,
  withdrawCall,
} from './zoraProtocol.ts'

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

const [CREATED] = parseAbi([
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])

const WOW_CREATED_TOPIC = toEventSelector(CREATED)

/** The fee on the curve. */
const CURVE_FEE_BPS = 100

interface WowContracts {
  readonly factory: Address
  /** `null`: unknown, and so are the fees of pools. */
  readonly uniswapFactory: Address | null
  readonly weth: Address
}

interface WowCreation {
  readonly token: Address
  readonly creator: Address
  /** `null` for a coin, which begins in its pool. */
  readonly curve: PoolFacts | null
  /** `null` where no event names the pool's quote currency. */
  readonly pool: PoolFacts | null
  readonly texts: ReturnType<typeof cleanTokenTexts>
  readonly surface: string | null
}

/**
 * Decodes a creation event. It names the pool, but neither its currency nor its fee. Both are read from the event with which Uniswap's
 * factory made the pool, or else the currency alone from the WOW factory's event about the coin. Curves trade in ETH.
 *
 * @throws MalformedLogError
 */
function decodeWowCreation(log: ChainLog, logs: readonly ChainLog[], contracts: WowContracts): WowCreation {
  const { uniswapFactory, weth } = contracts
  const { tokenURI, name, symbol, ...addresses } = decodeEvent(CREATED, log)
  const [token, pool] = [toAddress(addresses.tokenAddress), toAddress(addresses.poolAddress)]
  const hasCurve = toAddress(addresses.bondingCurve) !== ZERO_ADDRESS
  const made =
    uniswapFactory === null ? undefined : poolsCreated(token, log, logs, uniswapFactory).find(({ facts }) => facts.address === pool)
  const quoteToken = hasCurve ? weth : currencyOf(token, log, logs, contracts)
  return {
    token,
    creator: toAddress(addresses.tokenCreator),
    curve: hasCurve ? poolFacts(token, 'curve', { token, quoteToken: weth, feeBps: CURVE_FEE_BPS }) : null,
    pool: made?.facts ?? (quoteToken === null ? null : poolFacts(pool, 'uniswap-v3', { token, quoteToken, feeBps: null })),
    texts: cleanTokenTexts({ name, symbol, metadataUri: tokenURI }),
    surface: surfaceOfReferrer(addresses.platformReferrer),
  }
}

/** The currency that the factory's event about the coin names, in the same transaction. */
function currencyOf(token: Address, creation: ChainLog, logs: readonly ChainLog[], { factory, weth }: WowContracts): Address | null {
  for (const log of logs) {
    if (log.address !== factory || log.txHash !== creation.txHash) continue
    const created = unlessMalformed(() => decodeCoinCreated(log, weth))
    if (created?.coin === token) return created.currency
  }
  return null
}

/*
 * WOW's bonding curve: the price of the next token is A·e^(B·x) for x tokens sold, the supply at that time (BondingCurve.sol of Zora's
 * WOW). The contract computes powers with 18 decimals; here they are integers scaled by 10^36.
 */

const WAD = 10n ** 18n
const ONE = 10n ** 36n
/** Wei per whole token at the start. */
const A = 1_060_848_709n
/** Growth per whole token, scaled by 10^18. */
const B = 4_379_701_787n

/** Raw units that the curve sells before it graduates. */
const WOW_CURVE_SUPPLY = 800_000_000n * WAD

/** WETH per whole token after `sold` raw units. */
function wowPriceAt(sold: bigint): Decimal | null {
  return ratio(A * powerAt(sold), ONE * WAD)
}

/** The price in wei of the first `sold` raw units. */
function wowCostOf(sold: bigint): bigint {
  return ((powerAt(sold) - ONE) * A * WAD) / (B * ONE)
}

/**
 * WETH per whole token after a trade. If the supply after the trade is known, it is the curve's price, provided that the trade's amounts
 * fit the curve. Otherwise it follows from the amounts: the prices before and after differ by the factor e^(B·tokens) and by B·wei.
 *
 * @returns the trade's average price when the amounts do not fit
 */
function wowPriceAfter(trade: {
  readonly side: 'buy' | 'sell'
  readonly tokens: bigint
  /** Without the fee. */
  readonly netWei: bigint
  readonly supplyAfter: bigint | null
}): Decimal | null {
  const { side, tokens, netWei, supplyAfter } = trade
  if (supplyAfter !== null) {
    const [low, high] = side === 'buy' ? [supplyAfter - tokens, supplyAfter] : [supplyAfter, supplyAfter + tokens]
    const fits = low >= 0n && high <= WOW_CURVE_SUPPLY && isNear(wowCostOf(high) - wowCostOf(low), netWei)
    return fits ? wowPriceAt(supplyAfter) : ratio(netWei, tokens)
  }
  if (tokens === 0n || tokens > WOW_CURVE_SUPPLY) return null
  const growth = powerAt(tokens)
  // After a buy the price is B·wei·growth/(growth − 1), after a sell it is lower by the factor `growth`.
  return ratio(B * netWei * (side === 'buy' ? growth : ONE), WAD * WAD * (growth - ONE))
}

/** Equal to one part in a million, or within the contract's rounding error for a small trade. */
function isNear(a: bigint, b: bigint): boolean {
  const difference = a > b ? a - b : b - a
  return difference * 1_000_000n <= b || difference <= 1_000n
}

/** e^(B·x) scaled by 10^36, as a Taylor series of at most some 60 terms: on the curve B·x stays below 4. */
function powerAt(x: bigint): bigint {
  const exponent = B * x
  let term = ONE
  let sum = ONE
  for (let n = 1n; term > 0n; n++) {
    term = (term * exponent) / (n * ONE)
    sum += term
  }
  return sum
}

const HEAD = 'address,address,address,uint256,uint256,uint256,uint256,uint256,string'

interface TradeTopic {
  readonly side: TradeSide
  readonly withSupply: boolean
}

/** The events of some tokens report the supply after the trade. */
const TRADES: ReadonlyMap<Hex, TradeTopic> = new Map([
  [toEventSelector(`WowTokenBuy(${HEAD},uint256,uint8)`), { side: 'buy', withSupply: true }],
  [toEventSelector(`WowTokenBuy(${HEAD},uint8)`), { side: 'buy', withSupply: false }],
  [toEventSelector(`WowTokenSell(${HEAD},uint256,uint8)`), { side: 'sell', withSupply: true }],
  [toEventSelector(`WowTokenSell(${HEAD},uint8)`), { side: 'sell', withSupply: false }],
])
const FEES = toEventSelector('WowTokenFees(address,address,address,address,uint256,uint256,uint256,uint256)')
const GRADUATED = toEventSelector('WowMarketGraduated(address,address,uint256,uint256,uint256,uint8)')

const TOKEN_TOPICS: readonly Hex[] = [...TRADES.keys(), FEES, GRADUATED]

const ON_CURVE = 0n

/** What earlier logs of a transaction report about one token. */
interface TokenProgress {
  /** It has graduated, and the log of the buy that caused it is still to come. */
  graduating: boolean
  /** The log index of the pool's last swap, until a trade through the token claims it. */
  swap: number | null
  /** The fee of the next trade as it was shared out. Each share is rounded down; the rest stays on the curve. */
  sharedFee: bigint | null
}

/**
 * Decodes the events that the tokens emit. After graduation a trade through the token is a swap of the pool, and the token's own event only
 * names its maker. The buy that causes the graduation is logged after it, as a trade in the pool, and is the curve's last one.
 */
function decodeWowTokens(transaction: TransactionLogs, launchpad: string): Required<Omit<DecodedTransaction, 'partialSwaps'>> {
  const makers = new Map<number, Address>()
  const progressByToken = new Map<Address, TokenProgress>()
  const progressOf = (token: Address): TokenProgress => {
    const progress = progressByToken.get(token) ?? { graduating: false, swap: null, sharedFee: null }
    progressByToken.set(token, progress)
    return progress
  }

  const { events, malformed } = decodeEach(transaction, ({ log, source }) => {
    if (source.launchpad !== launchpad) return []
    if (source.role === 'pool' && log.topics[0] === SWAP_TOPIC) progressOf(source.token).swap = log.logIndex
    if (source.role !== 'tokenCurve' && source.role !== 'token') return []
    const { token, role } = source
    const at = { ...eventPosition(log, transaction), token }
    const progress = progressOf(token)
    const tradeTopic = TRADES.get(log.topics[0] ?? '0x')
    if (tradeTopic !== undefined) {
      const trade = decodeTrade(log, tradeTopic)
      const { graduating, swap, sharedFee } = progress
      progressByToken.delete(token)
      if (role === 'tokenCurve' && (trade.onCurve || graduating)) return curveTrade(at, trade, sharedFee)
      if (swap !== null) makers.set(swap, trade.maker)
    } else if (log.topics[0] === FEES) {
      const field = wordsByName(log.data, 5, { creator: 1, platformReferrer: 2, orderReferrer: 3, protocol: 4 })
      progress.sharedFee = field('creator') + field('platformReferrer') + field('orderReferrer') + field('protocol')
      return [{ ...at, kind: 'creatorShare', accruedWei: field('creator') }]
    } else if (log.topics[0] === GRADUATED && role === 'tokenCurve') {
      const graduation: readonly TokenEvent[] = [
        { ...at, kind: 'completed', raised: wordsOf(log.data, 1)(0) },
        { ...at, kind: 'migrated', pool: addressTopic(log.topics, 2) },
      ]
      Object.assign(progress, { graduating: true, swap: null })
      return graduation
    }
    return []
  })
  return { events, malformed, makers }
}

/** Words: `totalEth`, `ethFee`, `ethSold` or `ethBought`, tokens, balance, comment, `totalSupply` if any, `marketType`. */
function decodeTrade(log: ChainLog, { side, withSupply }: TradeTopic) {
  const last = withSupply ? 7 : 6
  const field = wordsByName(log.data, last + 1, { ethFee: 1, eth: 2, tokens: 3, totalSupply: 6, marketType: last })
  return {
    side,
    // The recipient of a buy and the seller: the sender may be a router.
    maker: addressTopic(log.topics, side === 'buy' ? 2 : 1),
    feeWei: field('ethFee'),
    amountWei: field('eth'),
    tokens: field('tokens'),
    supplyAfter: withSupply ? field('totalSupply') : null,
    onCurve: field('marketType') === ON_CURVE,
  }
}

function curveTrade(at: TokenEventPosition, trade: ReturnType<typeof decodeTrade>, sharedFee: bigint | null): readonly TokenEvent[] {
  const { side, maker, tokens, amountWei, feeWei, onCurve } = trade
  const pool = at.token
  const buy = side === 'buy'
  const netWei = buy ? amountWei - feeWei : amountWei + feeWei
  const leaving = sharedFee ?? feeWei
  const moved = buy ? amountWei - leaving : -amountWei - leaving
  // With the graduating buy, the reported supply includes the tokens minted for the pool.
  const supplyAfter = onCurve || trade.supplyAfter === null ? trade.supplyAfter : WOW_CURVE_SUPPLY
  return [
    poolChanged(at, pool, {
      reserves: { mode: 'move', token: buy ? -tokens : tokens, quote: moved },
      price: wowPriceAfter({ side, tokens, netWei, supplyAfter }),
    }),
    { ...at, kind: 'trade', pool, phase: 'curve', side, maker, amountToken: tokens, amountQuote: amountWei, feeQuote: feeWei },
    { ...at, kind: 'curveProgress', raised: { mode: 'move', quote: moved }, targetSupply: WOW_CURVE_SUPPLY },
  ]
}
