import { encodeFunctionData, keccak256, parseAbi, toEventSelector, toHex } from 'viem/utils'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import { type AdapterKind, type AdapterOptions, contractsOf, decodeEach, type LaunchpadAdapter, type TransactionLogs } from './adapter.ts'
import { type DiscoveredSource, poolSource, tokenSource } from './logSource.ts'
import { unlessMalformed } from './malformedLog.ts'
import { escrowChange, eventPosition, poolChanged, poolFacts, type TokenEvent } from './tokenEvent.ts'
import { V3_TOPICS } from './uniswapV3.ts'
import { addressTopic, addressWord, decodeEvent, wordsOf, wordTopic } from './words.ts'
import { WOW_CURVE_SUPPLY, wowCostOf, wowPriceAt } from './wowCurve.ts'
import { decodeWowTokens, TOKEN_TOPICS } from './wowTrades.ts'

/*
 * Zora's WOW. A token is its own bonding curve: it mints what it sells and burns what it takes back. Its Uniswap v3 WETH pool exists from
 * the creation on and gets its liquidity at graduation. ProtocolRewards is one escrow in ETH for everything that an account earns.
 */

const [CREATED] = parseAbi([
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])
const WITHDRAW = parseAbi(['function withdraw(address to, uint256 amount)'])

const TOPICS = {
  created: toEventSelector(CREATED),
  deposit: toEventSelector('Deposit(address,address,bytes4,uint256,string)'),
  rewardsDeposit: toEventSelector(
    'RewardsDeposit(address,address,address,address,address,address,uint256,uint256,uint256,uint256,uint256)',
  ),
  withdraw: toEventSelector('Withdraw(address,address,uint256)'),
} as const

/** The reason of deposits that share out the fees of the pool's LP position, which `WowTokenFees` does not report. */
const SECONDARY_REWARD = keccak256(toHex('WOW_CREATOR_SECONDARY_REWARD')).slice(0, 10)

/** The curve's fee, and the half of it that is the creator's. */
const CURVE_FEE_BPS = 100
const CREATOR_FEE_BPS = 50
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

function createWow(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock, weth } = options
  const { factory, protocolRewards } = contractsOf(options, ['factory', 'protocolRewards'])
  const isCreation = (log: ChainLog) => log.address === factory && log.topics[0] === TOPICS.created
  return {
    launchpad,
    startBlock,
    contracts: [factory, protocolRewards].map(address => ({ address, role: 'contract' })),
    discoveryTopics: new Set([TOPICS.created]),
    decodedTopics: new Set([...Object.values(TOPICS), ...TOKEN_TOPICS, ...V3_TOPICS]),
    discover: logs => logs.filter(isCreation).flatMap(log => unlessMalformed(() => sourcesOf(decodeCreation(log, weth), launchpad)) ?? []),
    decode: transaction => {
      const ofTokens = decodeWowTokens(transaction, launchpad)
      const others = decodeEach(transaction, ({ log }) => {
        if (isCreation(log)) return launch(log, transaction, launchpad, weth)
        return log.address === protocolRewards ? decodeRewards(log, transaction, launchpad) : []
      })
      const { makers } = ofTokens
      return { events: [...ofTokens.events, ...others.events], malformed: [...ofTokens.malformed, ...others.malformed], makers }
    },
    // The escrow takes an amount of zero for everything, which could be more than these fees: an account has other deposits as well.
    claimCall: ({ creator, amount }) =>
      amount !== null && amount > 0n ? { to: protocolRewards, data: encodeFunctionData({ abi: WITHDRAW, args: [creator, amount] }) } : null,
  }
}

function sourcesOf({ token, pool, curve }: ReturnType<typeof decodeCreation>, launchpad: string): readonly DiscoveredSource[] {
  const itself: DiscoveredSource =
    curve === null
      ? tokenSource(launchpad, token)
      : { key: token, source: { role: 'tokenCurve', launchpad, token, pool: curve, tokenDecimals: DECIMALS } }
  return [itself, poolSource(launchpad, token, pool, DECIMALS)]
}

function launch(log: ChainLog, transaction: TransactionLogs, launchpad: string, weth: Address): readonly TokenEvent[] {
  const { token, pool, curve, creator, texts } = decodeCreation(log, weth)
  const at = { ...eventPosition(log, transaction), token }
  const events: TokenEvent[] = [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      ...texts,
      decimals: DECIMALS,
      creatorFeeBps: CREATOR_FEE_BPS,
      // A withdrawal from the escrow names no token.
      feesReported: { accrued: true, claimed: false },
      graduation: curve === null ? { status: 'none', targetWei: null } : { status: 'bonding', targetWei: wowCostOf(WOW_CURVE_SUPPLY) },
    },
    // Opens the creator's account: deposits by others count from now on.
    escrowChange(at, { launchpad, creator, currency: ZERO_ADDRESS }),
    { ...at, kind: 'poolCreated', pool, main: curve === null },
  ]
  if (curve !== null) {
    events.push(
      { ...at, kind: 'poolCreated', pool: curve, main: true },
      poolChanged(at, token, { reserves: { mode: 'set', token: WOW_CURVE_SUPPLY, quote: 0n }, priceWeth: wowPriceAt(0n) }),
      { ...at, kind: 'curveProgress', raised: { mode: 'set', wei: 0n }, targetSupply: WOW_CURVE_SUPPLY },
    )
  }
  return events
}

/** Changes of accounts in the escrow. Only deposits of the launchpad's tokens, which trades limit in number, may open accounts. */
function decodeRewards(log: ChainLog, transaction: TransactionLogs, launchpad: string): readonly TokenEvent[] {
  const position = eventPosition(log, transaction)
  const change = (creator: Address, amounts: { readonly accrued?: bigint; readonly claimed?: bigint }, onlyKnown = true) =>
    escrowChange(position, { launchpad, creator, currency: ZERO_ADDRESS, ...amounts, onlyKnown })
  switch (log.topics[0]) {
    case TOPICS.deposit: {
      const from = addressTopic(log.topics, 1)
      const account = addressTopic(log.topics, 2)
      const accrued = wordsOf(log.data, 1)(0)
      const isFromToken = transaction.logs.some(
        ({ log, source }) => log.address === from && 'token' in source && source.launchpad === launchpad,
      )
      if (!isFromToken) return [change(account, { accrued })]
      const deposit = change(account, { accrued }, false)
      const isSecondary = toHex(wordTopic(log.topics, 3), { size: 32 }).startsWith(SECONDARY_REWARD)
      return isSecondary ? [deposit, { ...position, token: from, kind: 'creatorShare', accruedWei: accrued }] : [deposit]
    }
    case TOPICS.rewardsDeposit: {
      const word = wordsOf(log.data, 8)
      const indexed = [1, 2, 3].map(index => addressTopic(log.topics, index))
      return [...indexed, addressWord(word(0)), addressWord(word(1))].map((account, index) => change(account, { accrued: word(3 + index) }))
    }
    case TOPICS.withdraw:
      // The first address is the account, also when another one sent the transaction.
      return [change(addressTopic(log.topics, 1), { claimed: wordsOf(log.data, 1)(0) })]
    default:
      return []
  }
}

function decodeCreation(log: ChainLog, weth: Address) {
  const { tokenURI, name, symbol, ...addresses } = decodeEvent(CREATED, log)
  const token = toAddress(addresses.tokenAddress)
  const pair = { token, quoteToken: weth }
  return {
    token,
    pool: poolFacts(toAddress(addresses.poolAddress), 'uniswap-v3', { ...pair, feeBps: POOL_FEE_BPS }),
    // Later tokens of the same factory have no curve and begin in the pool.
    curve: toAddress(addresses.bondingCurve) === ZERO_ADDRESS ? null : poolFacts(token, 'curve', { ...pair, feeBps: CURVE_FEE_BPS }),
    creator: toAddress(addresses.tokenCreator),
    texts: cleanTokenTexts({ name, symbol, metadataUri: tokenURI }),
  }
}
