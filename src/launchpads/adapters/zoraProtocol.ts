import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { ClaimCall, ClaimTarget } from '#domain/claimable.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import type { TransactionLogs } from '#launchpads/adapter.ts'
import type { SourceLookup } from '#launchpads/logSource.ts'
import { escrowChange, eventPosition, type TokenEventOf } from '#launchpads/tokenEvent.ts'
import { addressTopic, addressWord, decodeEvent, wordsOf } from '#launchpads/words.ts'
import { surfaceOfReferrer } from './clankerToken.ts'

/*
 * Zora's ProtocolRewards (github.com/ourzora/zora-protocol, packages/protocol-rewards): one escrow in ETH for everything that an account
 * earns anywhere. It distinguishes no tokens.
 */

const WITHDRAW = parseAbi(['function withdraw(address to, uint256 amount)'])

const TOPICS = {
  deposit: toEventSelector('Deposit(address,address,bytes4,uint256,string)'),
  rewardsDeposit: toEventSelector(
    'RewardsDeposit(address,address,address,address,address,address,uint256,uint256,uint256,uint256,uint256)',
  ),
  withdraw: toEventSelector('Withdraw(address,address,uint256)'),
} as const

export const PROTOCOL_REWARDS_TOPICS: readonly Hex[] = Object.values(TOPICS)

/**
 * Changes of accounts in the escrow. Only deposits by the launchpad's tokens may open accounts: they need trades, which limits their
 * number.
 */
export function decodeProtocolRewards(
  log: ChainLog,
  transaction: TransactionLogs,
  launchpad: string,
  lookup: SourceLookup,
): readonly TokenEventOf<'creatorFee'>[] {
  const position = eventPosition(log, transaction)
  const change = (creator: Address, amounts: { readonly accrued?: bigint; readonly claimed?: bigint }, onlyKnown = true) =>
    escrowChange(position, { launchpad, creator, currency: ZERO_ADDRESS, ...amounts, onlyKnown })
  switch (log.topics[0]) {
    case TOPICS.deposit:
      return [change(addressTopic(log.topics, 2), { accrued: wordsOf(log.data, 1)(0) }, depositor(log, launchpad, lookup) === null)]
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

/** The launchpad's token that makes a deposit; `null` where it is none. */
export function depositor({ topics: [topic, ...topics] }: ChainLog, launchpad: string, lookup: SourceLookup): Address | null {
  if (topic !== TOPICS.deposit) return null
  const from = addressTopic(topics, 0)
  const source = lookup(from)
  return (source?.role === 'token' || source?.role === 'tokenCurve') && source.launchpad === launchpad ? from : null
}

/** No call for an amount of zero: the escrow would pay out the whole account, which may have other deposits as well. */
export function withdrawCall(protocolRewards: Address, { creator, amount }: Pick<ClaimTarget, 'creator' | 'amount'>): ClaimCall | null {
  return amount !== null && amount > 0n
    ? { to: protocolRewards, data: encodeFunctionData({ abi: WITHDRAW, args: [creator, amount] }) }
    : null
}

/**
 * The versions of the event with which Zora's factories announce a coin in a Uniswap v3 pool (IZoraFactory.sol in
 * github.com/ourzora/zora-protocol): the first follows `WowTokenCreated`, the last has the coin's version.
 */
const COIN_CREATED = parseAbi([
  'event CoinCreated(address indexed deployer, address indexed creator, address indexed payoutRecipient, address platformReferrer, address currency, string tokenURI, string name, string symbol, address coin, address pool)',
  'event CoinCreated(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, address pool)',
  'event CoinCreated(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, address pool, string version)',
])

export const COIN_CREATED_TOPICS: readonly Hex[] = COIN_CREATED.map(event => toEventSelector(event))

interface CreatedCoin {
  readonly coin: Address
  readonly creator: Address
  readonly currency: Address
  readonly pool: Address
  readonly texts: ReturnType<typeof cleanTokenTexts>
  readonly surface: string | null
}

/** `null` for another event. @throws MalformedLogError */
export function decodeCoinCreated(log: ChainLog, weth: Address): CreatedCoin | null {
  const event = COIN_CREATED[COIN_CREATED_TOPICS.indexOf(log.topics[0] ?? '0x')]
  if (event === undefined) return null
  const { coin, payoutRecipient, platformReferrer, currency, pool, name, symbol, ...named } = decodeEvent(event, log)
  const paidIn = toAddress(currency)
  return {
    coin: toAddress(coin),
    creator: toAddress('creator' in named ? named.creator : payoutRecipient),
    // ETH is traded as WETH.
    currency: paidIn === ZERO_ADDRESS ? weth : paidIn,
    pool: toAddress(pool),
    texts: cleanTokenTexts({ name, symbol, metadataUri: 'tokenURI' in named ? named.tokenURI : named.uri }),
    surface: surfaceOfReferrer(platformReferrer),
  }
}
