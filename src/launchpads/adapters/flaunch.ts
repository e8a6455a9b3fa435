import type { AbiEvent } from 'viem'
import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, isEther, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { BASE_WETH } from '#domain/prices.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import {
  type AdapterKind,
  type AdapterOptions,
  contractsOf,
  decodeEach,
  type LaunchpadAdapter,
  type TransactionLogs,
} from '#launchpads/adapter.ts'
import {
  type DiscoveredSource,
  type LogSourceOf,
  launchedSources,
  poolSource,
  type SourceLookup,
  tokenSource,
} from '#launchpads/logSource.ts'
import { TRANSFER_TOPIC } from '#launchpads/maker.ts'
import { type PairAmounts, pairAmounts, poolTrade } from '#launchpads/pools/poolTrade.ts'
import { v4PoolId } from '#launchpads/pools/quotePool.ts'
import { V4_SWAP_TOPIC } from '#launchpads/pools/uniswapV4.ts'
import {
  escrowChange,
  eventPosition,
  type PoolFacts,
  poolFacts,
  type TokenEvent,
  type TokenEventOf,
  type TokenEventPosition,
} from '#launchpads/tokenEvent.ts'
import { addressTopic, addressWord, decodeEvent, MalformedLogError, signed, wordsByName, wordsOf } from '#launchpads/words.ts'

/*
 * Flaunch. Its PositionManager makes a memecoin with a treasury and a revenue NFT, and is the hook of the memecoin's Uniswap v4 pool: it
 * sells the fair launch at a fixed price, sells the tokens that it took as fees before the pool does, and shares out its fees. The share of
 * the NFT's owner lies in an escrow.
 */

const CLAIM = parseAbi(['function withdrawFees(address recipient, bool unwrap)'])
const CLAIM_OF_CURRENCY = parseAbi(['function withdrawFees(address token, address recipient, bool unwrap)'])
const [RENAMED] = parseAbi(['event MetadataUpdated(string name, string symbol)'])
const RENAMED_TOPIC = toEventSelector(RENAMED)
const DECIMALS = 18

/** flETH of Base: its `withdraw` burns what it pays out in ETH, to the wei (flETH.sol, in github.com/daolympus/dETH). */
const FLETH = toAddress('0x000000000D564D5be76f7f0d28fE52605afC7Cf8')

/** The PositionManager of version 1.3 on Base, and the escrow of its launches, which no getter returns (flaunchgg-contracts, README). */
const NEWEST = toAddress('0x588c683ecc450f8b2aadb13d7f63792b840425dc')
const ESCROW_OF_NEWEST = toAddress('0x17fbf54d6d15ebff82eee77e616f701952d08bb4')

export const flaunch: AdapterKind = {
  version: 3,
  contracts: ['factory', 'nft', 'poolManager'],
  presets: { factory: NEWEST },
  optionalContracts: ['nativeToken', 'pairedTokenRegistry', 'feeEscrow', 'bidWall', 'referralEscrow', 'flETH'],
  derivedContracts: {
    nft: [['flaunchContract()']],
    // Before version 1.3 all memecoins are in it, from then on in a currency that the registry approves.
    nativeToken: [['nativeToken()']],
    pairedTokenRegistry: [['pairedTokenRegistry()']],
    poolManager: [['poolManager()']],
    feeEscrow: [['feeEscrow()']],
    bidWall: [['bidWall()']],
    referralEscrow: [['referralEscrow()']],
  },
  create: createFlaunch,
}

function createFlaunch(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock, weth } = options
  const { factory, nft, poolManager } = contractsOf(options, ['factory', 'nft', 'poolManager'])
  const { nativeToken, pairedTokenRegistry, bidWall, referralEscrow, flETH = FLETH } = options.contracts
  const isPaired = pairedTokenRegistry !== undefined
  // In the first version the PositionManager keeps the accounts itself.
  const ownEscrow = isPaired ? (factory === NEWEST && weth === BASE_WETH ? ESCROW_OF_NEWEST : undefined) : factory
  const { feeEscrow = ownEscrow } = options.contracts
  const hasEtherWrapper = isPaired || nativeToken === flETH
  const creations = new Set(FLAUNCH_CREATED_TOPICS)
  const isCreation = (log: ChainLog) => log.address === factory && creations.has(log.topics[0] ?? '0x')
  const creationOf = (log: ChainLog) => decodeFlaunchCreation(log, { factory, nativeToken })
  const holders = [factory, nft, feeEscrow, bidWall, referralEscrow].filter(address => address !== undefined)

  const launch = ({ creator, pool, texts }: FlaunchCreation, at: TokenEventPosition): readonly TokenEvent[] => [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      ...texts,
      decimals: DECIMALS,
      // The creator's share is taken from fees whose rate Flaunch may change at any time.
      creatorFeeBps: null,
      // A withdrawal from the escrow names no token.
      feesReported: { accrued: isEther(pool.quoteToken, weth) || (hasEtherWrapper && pool.quoteToken === flETH), claimed: false },
      graduation: { status: 'none', target: null },
    },
    { ...at, kind: 'poolCreated', pool, main: true },
    ...(feeEscrow === undefined ? [] : [escrowChange(at, { launchpad, creator, currency: pool.quoteToken })]),
  ]

  return {
    launchpad,
    startBlock,
    contracts: [
      ...[...new Set(holders)].map(address => ({ address, role: 'contract' }) as const),
      { address: poolManager, role: 'poolManager' },
    ],
    ...(hasEtherWrapper && { etherWrapper: flETH }),
    discoveryTopics: creations,
    decodedTopics: new Set([...creations, POOL_SWAP_TOPIC, RENAMED_TOPIC, ...FLAUNCH_FEE_TOPICS]),
    discover: (logs, lookup) => launchedSources(logs.filter(isCreation), log => sourcesOf(creationOf(log), launchpad), lookup),
    decode: (transaction, lookup) => {
      const swaps = swapsOf(transaction, launchpad)
      const decoded = decodeEach(transaction, ({ log, source }) => {
        const [topic] = log.topics
        if (isCreation(log)) {
          const creation = creationOf(log)
          const creator = ownerAfter(transaction, nft, creation.tokenId) ?? creation.creator
          return launch({ ...creation, creator }, { ...eventPosition(log, transaction), token: creation.token })
        }
        if (log.address === factory && topic === POOL_SWAP_TOPIC) return swaps.report(log, lookup)
        if (topic === RENAMED_TOPIC && source.role === 'token' && source.launchpad === launchpad) {
          const { name, symbol } = cleanTokenTexts({ ...decodeEvent(RENAMED, log), metadataUri: '' })
          return [{ ...eventPosition(log, transaction), token: source.token, kind: 'updated', fields: { name, symbol } }]
        }
        return decodeFlaunchFees(log, transaction, { launchpad, factory, nft, nativeToken, feeEscrow, lookup })
      })
      return { ...decoded, partialSwaps: swaps.reported }
    },
    // The call pays out all that the sender has, and does not unwrap it: not every account can receive ETH.
    claimCall: ({ creator, currency, scope, amount }) => {
      if (scope !== 'creator' || amount === 0n || feeEscrow === undefined) return null
      if (isPaired) return { to: feeEscrow, data: encodeFunctionData({ abi: CLAIM_OF_CURRENCY, args: [currency, creator, false] }) }
      return currency === nativeToken ? { to: feeEscrow, data: encodeFunctionData({ abi: CLAIM, args: [creator, false] }) } : null
    },
  }
}

function sourcesOf({ token, pool, treasury }: FlaunchCreation, launchpad: string): readonly DiscoveredSource[] {
  const keeper = treasury === ZERO_ADDRESS ? [] : [{ key: treasury, source: { role: 'contract', launchpad } } as const]
  return [tokenSource(launchpad, token), poolSource(launchpad, token, pool, DECIMALS), ...keeper]
}

/** Who owns a revenue NFT after the transaction that mints it: zaps have it minted to themselves and pass it on. `null`: none. */
function ownerAfter({ logs }: TransactionLogs, nft: Address, tokenId: bigint): Address | null {
  const isTransfer = ({ address, topics: [topic, , , id] }: ChainLog) =>
    address === nft && topic === TRANSFER_TOPIC && id !== undefined && BigInt(id) === tokenId
  const last = logs.findLast(({ log }) => isTransfer(log))
  const owner = last === undefined ? ZERO_ADDRESS : addressTopic(last.log.topics, 2)
  return owner === ZERO_ADDRESS ? null : owner
}

/** The swaps of a transaction in the launchpad's pools, each of which the hook reports after the pool's own event. */
function swapsOf(transaction: TransactionLogs, launchpad: string) {
  const byPool = Map.groupBy(
    transaction.logs.filter(
      ({ log, source }) => source.role === 'pool' && source.launchpad === launchpad && log.topics[0] === V4_SWAP_TOPIC,
    ),
    ({ log }) => log.topics[1] as Hex,
  )
  const reported = new Set<number>()
  return {
    reported,
    report: (log: ChainLog, lookup: SourceLookup): readonly TokenEvent[] => {
      const id = log.topics[1] ?? '0x'
      const source = lookup(id)
      if (source?.role !== 'pool' || source.launchpad !== launchpad) return []
      const swap = byPool.get(id)?.findLast(({ log: { logIndex } }) => logIndex < log.logIndex)?.log
      if (swap === undefined || reported.has(swap.logIndex)) throw new MalformedLogError('expected a swap before its report')
      const trade = wholeTrade(log, swap, source, transaction)
      reported.add(swap.logIndex)
      return trade === null ? [] : [trade]
    },
  }
}

/*
 * How Flaunch's PositionManager announces a memecoin (PositionManager.sol in github.com/flayerlabs/flaunchgg-contracts, and its ABIs by
 * version in github.com/flayerlabs/flaunch-sdk): the struct at the end differs by version.
 */

const [WITHOUT_DURATION, WITH_DURATION, WITHOUT_FAIR_LAUNCH, PAIRED] = parseAbi([
  'struct FlaunchParams1 { string name; string symbol; string tokenUri; uint256 initialTokenFairLaunch; uint256 premineAmount; address creator; uint24 creatorFeeAllocation; uint256 flaunchAt; bytes initialPriceParams; bytes feeCalculatorParams; }',
  'struct FlaunchParams2 { string name; string symbol; string tokenUri; uint256 initialTokenFairLaunch; uint256 fairLaunchDuration; uint256 premineAmount; address creator; uint24 creatorFeeAllocation; uint256 flaunchAt; bytes initialPriceParams; bytes feeCalculatorParams; }',
  'struct FlaunchParams3 { string name; string symbol; string tokenUri; uint256 premineAmount; address creator; uint24 creatorFeeAllocation; uint256 flaunchAt; bytes initialPriceParams; bytes feeCalculatorParams; }',
  'struct FlaunchParams4 { string name; string symbol; string tokenUri; uint256 premineAmount; address creator; uint24 creatorFeeAllocation; uint256 flaunchAt; bytes initialPriceParams; bytes feeCalculatorParams; address pairedToken; }',
  'event PoolCreated(bytes32 indexed poolId, address memecoin, address memecoinTreasury, uint256 tokenId, bool currencyFlipped, uint256 flaunchFee, FlaunchParams1 params)',
  'event PoolCreated(bytes32 indexed poolId, address memecoin, address memecoinTreasury, uint256 tokenId, bool currencyFlipped, uint256 flaunchFee, FlaunchParams2 params)',
  'event PoolCreated(bytes32 indexed poolId, address memecoin, address memecoinTreasury, uint256 tokenId, bool currencyFlipped, uint256 flaunchFee, FlaunchParams3 params)',
  'event PoolCreated(bytes32 indexed poolId, address memecoin, address memecoinTreasury, uint256 tokenId, bool currencyFlipped, uint256 flaunchFee, FlaunchParams4 params)',
])
/** Versions 1.0, 1.1 to 1.2, the one without a fair launch, and 1.3, in which each memecoin has a currency. */
const VERSIONS = [WITHOUT_DURATION, WITH_DURATION, WITHOUT_FAIR_LAUNCH, PAIRED] as const
const VERSION_OF = new Map<Hex, (typeof VERSIONS)[number]>(VERSIONS.map(event => [toEventSelector(event satisfies AbiEvent), event]))

export const FLAUNCH_CREATED_TOPICS: readonly Hex[] = [...VERSION_OF.keys()]

/** The hook takes the fees, so that the pool has none. */
const POOL_FEE = 0
const TICK_SPACING = 60

interface FlaunchCreation {
  readonly token: Address
  /** The account that the revenue NFT was minted to. */
  readonly creator: Address
  /** The id of the revenue NFT. */
  readonly tokenId: bigint
  readonly treasury: Address
  readonly pool: PoolFacts
  readonly texts: ReturnType<typeof cleanTokenTexts>
}

/**
 * @param nativeToken the currency before version 1.3
 * @throws MalformedLogError when it is no such event, or the pool is not the token's in its currency
 */
function decodeFlaunchCreation(
  log: ChainLog,
  { factory, nativeToken }: { readonly factory: Address; readonly nativeToken: Address | undefined },
): FlaunchCreation {
  const event = VERSION_OF.get(log.topics[0] ?? '0x')
  if (event === undefined) throw new MalformedLogError('expected the event of a created pool')
  const { poolId, memecoin, memecoinTreasury, tokenId, params } = decodeEvent(event, log)
  const token = toAddress(memecoin)
  const quoteToken = 'pairedToken' in params ? toAddress(params.pairedToken) : nativeToken
  if (quoteToken === undefined) throw new MalformedLogError('the native token is not known')
  const pool = poolFacts(poolId.toLowerCase() as Hex, 'uniswap-v4', { token, quoteToken, feeBps: null })
  // The pool's id is the hash of its whole key, so it proves the currency.
  const id = v4PoolId([token, quoteToken], { fee: POOL_FEE, tickSpacing: TICK_SPACING, hooks: factory })
  if (id !== pool.address) throw new MalformedLogError('expected the pool of the token and its currency')
  const texts = cleanTokenTexts({ name: params.name, symbol: params.symbol, metadataUri: params.tokenUri })
  return { token, creator: toAddress(params.creator), tokenId, treasury: toAddress(memecoinTreasury), pool, texts }
}

/** Events of Flaunch's fees (FeeDistributor.sol, FeeEscrow.sol). */
const TOPICS = {
  distributed: toEventSelector('PoolFeesDistributed(bytes32,uint256,uint256,uint256,uint256,uint256)'),
  deposit: toEventSelector('Deposit(bytes32,address,address,uint256)'),
  withdrawal: toEventSelector('Withdrawal(address,address,address,uint256)'),
  /** With the account's currency, and then what was paid out: both are the same unless it is unwrapped. */
  withdrawalOf: toEventSelector('Withdrawal(address,address,address,address,uint256)'),
} as const

export const FLAUNCH_FEE_TOPICS: readonly Hex[] = Object.values(TOPICS)

interface Context extends Readonly<Record<'factory' | 'nft', Address>> {
  /** The currency of all accounts; `undefined`: each account has one. */
  readonly nativeToken: Address | undefined
  /** `undefined`: not known. */
  readonly feeEscrow: Address | undefined
  readonly launchpad: string
  readonly lookup: SourceLookup
}

/** Decodes the creator's share of a token's fees, the owner of a revenue NFT, and changes of accounts in the escrow. */
function decodeFlaunchFees(log: ChainLog, transaction: TransactionLogs, context: Context): readonly TokenEvent[] {
  const { launchpad, factory, nft, nativeToken, feeEscrow, lookup } = context
  const position = eventPosition(log, transaction)
  const account = (creator: Address, currency: Address) => ({ launchpad, creator, currency })
  const [topic, id = '0x'] = log.topics
  switch (topic) {
    case TOPICS.distributed: {
      const source = lookup(id)
      if (log.address !== factory || source?.role !== 'pool' || source.launchpad !== launchpad) return []
      return [
        {
          ...position,
          token: source.token,
          kind: 'creatorShare',
          accruedWei: wordsByName(log.data, 5, { creatorShare: 1 })('creatorShare'),
        },
      ]
    }
    case TRANSFER_TOPIC: {
      if (log.address !== nft || nativeToken === undefined) return []
      const owner = addressTopic(log.topics, 2)
      // Opens the new owner's account. What the old one has earned stays with it.
      return owner === ZERO_ADDRESS ? [] : [escrowChange(position, account(owner, nativeToken))]
    }
    case TOPICS.deposit: {
      if (log.address !== feeEscrow) return []
      const field = wordsByName(log.data, 3, { payee: 0, currency: 1, amount: 2 })
      const currency = addressWord(field('currency'))
      const source = lookup(id)
      // Anybody may pay in a currency of their own. It opens no account unless a memecoin is in it.
      const onlyKnown = nativeToken === undefined && !(source?.role === 'pool' && source.pool.quoteToken === currency)
      return [escrowChange(position, { ...account(addressWord(field('payee')), currency), accrued: field('amount'), onlyKnown })]
    }
    case TOPICS.withdrawal: {
      if (log.address !== feeEscrow || nativeToken === undefined) return []
      const field = wordsByName(log.data, 4, { sender: 0, currency: 2, amount: 3 })
      // The zero address is the native token, paid out as ETH.
      const paid = addressWord(field('currency'))
      const currency = paid === ZERO_ADDRESS ? nativeToken : paid
      return [escrowChange(position, { ...account(addressWord(field('sender')), currency), claimed: field('amount') })]
    }
    case TOPICS.withdrawalOf: {
      if (log.address !== feeEscrow) return []
      const field = wordsByName(log.data, 5, { sender: 0, currency: 2, amount: 4 })
      const whose = account(addressWord(field('sender')), addressWord(field('currency')))
      return [escrowChange(position, { ...whose, claimed: field('amount'), onlyKnown: true })]
    }
    default:
      return []
  }
}

/**
 * What Flaunch's hook reports after every swap: two amounts and two fees each, for the fair launch, for the hook's stock of fee tokens,
 * which it sells before the pool does, and for the pool. Signs are from the swapper's side, so paid amounts are negative.
 */
export const POOL_SWAP_TOPIC = toEventSelector(`PoolSwap(bytes32,${Array.from({ length: 12 }, () => 'int256').join()})`)

const FILLS = [0, 4, 8] as const
const WORDS = 12

/**
 * The trade that a swap was as a whole: what the swapper paid and received, the hook's fees included.
 *
 * @param swap the event of the PoolManager, which only has what went through the pool
 * @returns `null` when nothing was swapped
 * @throws MalformedLogError
 */
function wholeTrade(
  log: ChainLog,
  swap: ChainLog,
  { token, pool, tokenDecimals }: LogSourceOf<'pool'>,
  transaction: TransactionLogs,
): TokenEventOf<'trade'> | null {
  const word = wordsOf(log.data, WORDS)
  const sumOf = (offset: number) => FILLS.reduce((sum, fill) => sum + signed(word(fill + offset)), 0n)
  const filled = pairAmounts(pool, sumOf(0), sumOf(1))
  const fees = pairAmounts(pool, -sumOf(2), -sumOf(3))
  const paid = { token: fees.token - filled.token, quote: fees.quote - filled.quote }
  if (paid.token === 0n && paid.quote === 0n) return null
  const at = { ...eventPosition(log, transaction), token }
  const trade = poolTrade({ log: swap, pool, tokenDecimals, at, transaction }, paid, null, 'poolManager', () =>
    addressTopic(swap.topics, 2),
  )
  return { ...trade, feeQuote: inQuote(fees, filled) }
}

/** Fees in the quote currency. Fees taken in tokens are valued at the average price of the swap. */
function inQuote(fees: PairAmounts, filled: PairAmounts): bigint | null {
  if (fees.token === 0n) return fees.quote
  if (filled.token === 0n) return null
  const price = (fees.token * filled.quote) / filled.token
  return fees.quote + (price < 0n ? -price : price)
}
