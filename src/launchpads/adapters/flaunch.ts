import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, isEther, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import { BASE_WETH } from '#domain/weth.ts'
import {
  type AdapterKind,
  type AdapterOptions,
  contractsOf,
  decodeEach,
  type LaunchpadAdapter,
  type TransactionLogs,
} from '#launchpads/adapter.ts'
import { type DiscoveredSource, launchedSources, poolSource, type SourceLookup, tokenSource } from '#launchpads/logSource.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { V4_SWAP_TOPIC } from '#launchpads/pools/uniswapV4.ts'
import { escrowChange, eventPosition, type TokenEvent, type TokenEventPosition } from '#launchpads/tokenEvent.ts'
import { TRANSFER_TOPIC } from '#launchpads/transfer.ts'
import { addressTopic, decodeEvent } from '#launchpads/words.ts'
import { decodeFlaunchCreation, FLAUNCH_CREATED_TOPICS, type FlaunchCreation } from './flaunchCreation.ts'
import { decodeFlaunchFees, FLAUNCH_FEE_TOPICS } from './flaunchFees.ts'
import { POOL_SWAP_TOPIC, wholeTrade } from './flaunchSwaps.ts'

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
