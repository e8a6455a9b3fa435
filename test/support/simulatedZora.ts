import { encodeAbiParameters, type Hex, keccak256, numberToHex, parseAbiParameters, toEventSelector } from 'viem'
import type { Random } from '#devchain/traders/random.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { type NewLog, testAddress } from './simulatedChain.ts'
import { CLANKER_V4, modifyLog, pair, poolOpenedLog, type SimulatedPosition, swapLog } from './simulatedClanker.ts'
import { topic, transferLog, words } from './simulatedLogs.ts'

/** Its coins trade in the PoolManager that Clanker's tokens trade in. */
export const ZORA = { factory: testAddress(20), poolManager: CLANKER_V4.poolManager }
const HOOK = testAddress(21)
const SUPPLY = 10n ** 27n
export const COIN_POSITION: SimulatedPosition = { lower: -300, upper: 400, amount: 10n ** 20n }

/** A creator coin, which vests to its recipient. */
export interface SimulatedCoin {
  readonly token: Address
  readonly quote: Address
  readonly pool: Hex
  readonly recipient: Address
  readonly claimed: bigint
}

interface Cast {
  readonly weth: Address
  readonly holders: readonly Address[]
}

interface Acted {
  /** Of one transaction. */
  readonly logs: readonly NewLog[]
  readonly coin: SimulatedCoin
}

/** The nth coin: the first is paired with WETH, each other one with the coin before it, whose symbol may change. */
export function launchCoin(index: number, { weth, holders }: Cast, random: Random): Acted {
  const token = testAddress(700 + index)
  const quote = index === 0 ? weth : testAddress(699 + index)
  const pool = keccak256(numberToHex(1_000_000 + index * 10 + random.integer(0, 1)))
  const recipient = random.pick(holders)
  const [currency0, currency1] = [token, quote].toSorted() as [Address, Address]
  const types =
    'address, string uri, string name, string symbol, address coin, (address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key, bytes32 id, string version'
  const key = { currency0, currency1, fee: 10_000, tickSpacing: 200, hooks: HOOK }
  // Of one version it is not known how long its coins vest.
  const version = random.pick(['2.2.1', '2.3.0', 'next'])
  const texts = ['ipfs://coin', `Coin ${random.integer(0, 9)}`, `Z${random.integer(0, 9)}`] as const
  const data = encodeAbiParameters(parseAbiParameters(types), [quote, ...texts, token, key, pool, version])
  return {
    coin: { token, quote, pool, recipient, claimed: 0n },
    logs: [
      transferLog(token, ZERO_ADDRESS, token, SUPPLY / 2n),
      transferLog(token, ZERO_ADDRESS, ZORA.poolManager, SUPPLY / 2n),
      poolOpenedLog(pool, pair(token, quote)),
      modifyLog(pool, HOOK, COIN_POSITION),
      { address: ZORA.factory, topics: [ZORA_TOPICS.created, topic(recipient), topic(recipient), topic(recipient)], data },
    ],
  }
}

export function actCoin(coin: SimulatedCoin, { holders }: Cast, random: Random): Acted {
  const { token, quote, pool, recipient, claimed } = coin
  const other = random.pick(holders)
  const amount = BigInt(random.integer(1, 1_000_000)) * 10n ** 15n
  switch (random.weighted([4, 2, 2, 1, 1])) {
    case 0: {
      // Rewards in the quote currency, or in the coin itself.
      const currency = random.chance(0.8) ? quote : token
      const amounts = words(0n, amount, ...Array.from({ length: 8 }, () => 0n))
      const parties = [token, currency, recipient, ...Array.from({ length: 4 }, () => other)]
      return {
        coin,
        logs: [
          swapLog(pool, [COIN_POSITION], other, random),
          transferLog(token, ZORA.poolManager, other, amount),
          transferLog(currency, HOOK, recipient, amount),
          { address: HOOK, topics: [ZORA_TOPICS.rewards], data: `${words(...parties.map(BigInt))}${amounts.slice(2)}` },
        ],
      }
    }
    case 1:
      return { coin, logs: [transferLog(token, other, random.pick(holders), amount)] }
    case 2: {
      const total = claimed + amount
      const data = words(amount, total, 1_700_000_000n, 1_857_788_000n)
      return {
        coin: { ...coin, claimed: total },
        logs: [transferLog(token, token, recipient, amount), { address: token, topics: [ZORA_TOPICS.vested, topic(recipient)], data }],
      }
    }
    case 3: {
      const topics = [ZORA_TOPICS.recipient, topic(recipient), topic(recipient), topic(other)]
      return { coin: { ...coin, recipient: other }, logs: [{ address: token, topics, data: '0x' }] }
    }
    default: {
      const texts = [`Coin ${random.integer(0, 9)}`, `Z${random.integer(0, 9)}`] as const
      const data = encodeAbiParameters(parseAbiParameters('string, string'), texts)
      return { coin, logs: [{ address: token, topics: [ZORA_TOPICS.renamed, topic(recipient)], data }] }
    }
  }
}

const POOL_KEY = '(address,address,uint24,int24,address)'
/** First topics. */
export const ZORA_TOPICS = {
  created: toEventSelector(`CreatorCoinCreated(address,address,address,address,string,string,string,address,${POOL_KEY},bytes32,string)`),
  rewards: toEventSelector(
    `CoinMarketRewardsV4(address,address,address,address,address,address,address,(${Array.from({ length: 10 }, () => 'uint256').join()}))`,
  ),
  vested: toEventSelector('CreatorVestingClaimed(address,uint256,uint256,uint256,uint256)'),
  recipient: toEventSelector('CoinPayoutRecipientUpdated(address,address,address)'),
  renamed: toEventSelector('NameAndSymbolUpdated(address,string,string)'),
}
