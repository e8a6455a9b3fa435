import { parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, isEther, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import { type DecodedTransaction, decodeEach, type TransactionLogs } from '#launchpads/adapter.ts'
import type { SourceLookup } from '#launchpads/logSource.ts'
import { V4_SWAP_TOPIC } from '#launchpads/pools/uniswapV4.ts'
import { eventPosition, type TokenEvent, type TokenEventOf, type TokenEventPosition } from '#launchpads/tokenEvent.ts'
import { addressTopic, addressWord, decodeEvent, unsigned, wordsByName, wordsOf } from '#launchpads/words.ts'
import { migratedMarket } from './zoraCreation.ts'

const [RENAMED, METADATA_UPDATED, VESTING_CLAIMED] = parseAbi([
  'event NameAndSymbolUpdated(address indexed caller, string newName, string newSymbol)',
  'event ContractMetadataUpdated(address indexed caller, string newURI, string name)',
  'event CreatorVestingClaimed(address indexed recipient, uint256 claimAmount, uint256 totalClaimed, uint256 vestingStartTime, uint256 vestingEndTime)',
])
const POOL_KEY = '(address,address,uint24,int24,address)'
const WORDS_OF_REWARDS_V4 = Array.from({ length: 10 }, () => 'uint256').join()
const WORDS_OF_REWARDS = Array.from({ length: 8 }, () => 'uint256').join()

/** Events of the hooks (IZoraV4CoinHook.sol, ICreatorCoinHook.sol) and of the coins (ICoin.sol, ICreatorCoin.sol). */
const TOPICS = {
  marketRewardsV4: toEventSelector(`CoinMarketRewardsV4(address,address,address,address,address,address,address,(${WORDS_OF_REWARDS_V4}))`),
  creatorCoinRewards: toEventSelector('CreatorCoinRewards(address,address,address,address,uint256,uint256)'),
  swapped: toEventSelector(`Swapped(address,address,bool,${POOL_KEY},bytes32,(bool,int256,uint160),int128,int128,bool,bytes,uint160)`),
  marketRewards: toEventSelector(`CoinMarketRewards(address,address,address,address,(${WORDS_OF_REWARDS}))`),
  tradeRewards: toEventSelector('CoinTradeRewards(address,address,address,address,uint256,uint256,uint256,uint256,address)'),
  recipientUpdated: toEventSelector('CoinPayoutRecipientUpdated(address,address,address)'),
  vestingClaimed: toEventSelector(VESTING_CLAIMED),
  renamed: toEventSelector(RENAMED),
  metadataUpdated: toEventSelector(METADATA_UPDATED),
  liquidityMigrated: toEventSelector(`LiquidityMigrated(${POOL_KEY},bytes32,${POOL_KEY},bytes32)`),
} as const

export const ZORA_COIN_TOPICS: readonly Hex[] = Object.values(TOPICS)
export const LIQUIDITY_MIGRATED_TOPIC = TOPICS.liquidityMigrated

/** The bits of a whole number that a double holds exactly. */
const SAFE_BITS = 53

interface Context {
  readonly launchpad: string
  readonly weth: Address
  readonly lookup: SourceLookup
}

/** What a transaction's coins and hooks report: what payout recipients earned, who they are, who swapped, and a market that moved. */
export function decodeZoraCoins(transaction: TransactionLogs, context: Context): Required<Omit<DecodedTransaction, 'partialSwaps'>> {
  const { launchpad, lookup } = context
  const makers = new Map<number, Address>()
  /** Swaps in v4 pools since the hook's last report. */
  let swaps: number[] = []
  /** Coins whose last swap's rewards were counted from `CoinMarketRewardsV4`, which later hooks emit before `CreatorCoinRewards`. */
  const counted = new Set<Address>()
  const isCoin = (address: Address) => {
    const source = lookup(address)
    return source?.role === 'token' && source.launchpad === launchpad
  }

  const decodeHook = (log: ChainLog): readonly TokenEvent[] => {
    const at = (token: Address) => ({ ...eventPosition(log, transaction), token })
    switch (log.topics[0]) {
      case TOPICS.marketRewardsV4: {
        // The recipients' shares are all paid in one currency, of late also in the coin itself. The event's amounts of coins are always 0.
        const field = wordsByName(log.data, 17, { coin: 0, currency: 1, payoutRecipient: 2, creatorAmount: 7 })
        const coin = addressWord(field('coin'))
        if (!isCoin(coin)) return []
        counted.add(coin)
        const [recipient, currency] = [addressWord(field('payoutRecipient')), addressWord(field('currency'))]
        return paid(at(coin), launchpad, { recipient, currency, amount: field('creatorAmount') })
      }
      case TOPICS.creatorCoinRewards: {
        const coin = addressTopic(log.topics, 1)
        if (!isCoin(coin) || counted.delete(coin)) return []
        const field = wordsByName(log.data, 5, { currency: 0, creator: 1, creatorAmount: 3 })
        const [recipient, currency] = [addressWord(field('creator')), addressWord(field('currency'))]
        return paid(at(coin), launchpad, { recipient, currency, amount: field('creatorAmount') })
      }
      case TOPICS.swapped: {
        // The hook asks the router for its caller, and believes routers that Zora trusts. The hook's swaps of fees before this report count
        // for the same account.
        const swapper = addressTopic(log.topics, 2)
        const isTrusted = wordsOf(log.data, 1)(0) === 1n
        if (isTrusted && swapper !== ZERO_ADDRESS) for (const swap of swaps) makers.set(swap, swapper)
        swaps = []
        return []
      }
      default:
        return []
    }
  }

  const { events, malformed } = decodeEach(transaction, ({ log, source }) => {
    if (source.launchpad !== launchpad) return []
    if (source.role === 'pool' && log.topics[0] === V4_SWAP_TOPIC) swaps.push(log.logIndex)
    if (source.role === 'module') return decodeHook(log)
    return source.role === 'token' ? decodeCoin(log, { ...eventPosition(log, transaction), token: source.token }, context) : []
  })
  return { events, malformed, makers }
}

function decodeCoin(log: ChainLog, at: TokenEventPosition, { launchpad, weth }: Context): readonly TokenEvent[] {
  const { token } = at
  switch (log.topics[0]) {
    case TOPICS.tradeRewards: {
      const field = wordsByName(log.data, 6, { creatorReward: 1, currency: 5 })
      const [amount, currency] = [field('creatorReward'), addressWord(field('currency'))]
      return earned(at, launchpad, { recipient: addressTopic(log.topics, 1), currency, amount, inEscrow: isEther(currency, weth) })
    }
    case TOPICS.marketRewards: {
      const field = wordsByName(log.data, 10, { currency: 1, creatorAmount: 4, creatorCoins: 5 })
      const [recipient, currency] = [addressTopic(log.topics, 1), addressWord(field('currency'))]
      return [
        ...earned(at, launchpad, { recipient, currency, amount: field('creatorAmount'), inEscrow: isEther(currency, weth) }),
        ...paid(at, launchpad, { recipient, currency: token, amount: field('creatorCoins') }),
      ]
    }
    case TOPICS.recipientUpdated: {
      const [from, to] = [addressTopic(log.topics, 2), addressTopic(log.topics, 3)]
      if (from === ZERO_ADDRESS || from === to) return []
      return [
        { ...vestingAccount(at, launchpad, to), handover: 'to', onlyVesting: true },
        { ...vestingAccount(at, launchpad, from), handover: 'from', onlyVesting: true, onlyKnown: true },
      ]
    }
    case TOPICS.vestingClaimed: {
      const { recipient, claimAmount, totalClaimed, vestingEndTime } = decodeEvent(VESTING_CLAIMED, log)
      const fields = { vestingClaimed: totalClaimed, vestingEndsAt: Number(unsigned(vestingEndTime, SAFE_BITS)) }
      return [
        { ...at, kind: 'updated', fields },
        { ...vestingAccount(at, launchpad, toAddress(recipient)), claimed: claimAmount },
      ]
    }
    case TOPICS.renamed: {
      const { newName, newSymbol } = decodeEvent(RENAMED, log)
      const { name, symbol } = cleanTokenTexts({ name: newName, symbol: newSymbol, metadataUri: '' })
      return [{ ...at, kind: 'updated', fields: { name, symbol } }]
    }
    case TOPICS.metadataUpdated: {
      const { metadataUri } = cleanTokenTexts({ name: '', symbol: '', metadataUri: decodeEvent(METADATA_UPDATED, log).newURI })
      return [{ ...at, kind: 'updated', fields: { metadataUri } }]
    }
    case TOPICS.liquidityMigrated: {
      const { pool } = migratedMarket(token, log)
      return [
        { ...at, kind: 'poolCreated', pool, main: false },
        { ...at, kind: 'marketMoved', pool: pool.address },
      ]
    }
    default:
      return []
  }
}

/** The account of what vests to a coin's payout recipient. It accrues with time, so events only report what was claimed. */
export function vestingAccount(at: TokenEventPosition, launchpad: string, creator: Address): TokenEventOf<'creatorFee'> {
  return { ...at, kind: 'creatorFee', launchpad, creator, currency: at.token, scope: 'token', accrued: null, claimed: 0n }
}

interface Reward {
  readonly recipient: Address
  readonly currency: Address
  readonly amount: bigint
}

/** Earned and paid out at once. */
function paid(at: TokenEventPosition, launchpad: string, { recipient, currency, amount }: Reward): readonly TokenEvent[] {
  if (amount === 0n) return []
  return [{ ...at, kind: 'creatorFee', launchpad, creator: recipient, currency, scope: 'token', accrued: amount, claimed: amount }]
}

/** @param reward.inEscrow whether it is deposited in ProtocolRewards, whose own events report the recipient's account */
function earned(at: TokenEventPosition, launchpad: string, reward: Reward & { readonly inEscrow: boolean }): readonly TokenEvent[] {
  return reward.inEscrow ? [{ ...at, kind: 'creatorShare', accruedWei: reward.amount }] : paid(at, launchpad, reward)
}
