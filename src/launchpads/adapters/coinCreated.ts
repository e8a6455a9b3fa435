import { parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import { surfaceOfReferrer } from '#launchpads/surface.ts'
import { decodeEvent } from '#launchpads/words.ts'

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
