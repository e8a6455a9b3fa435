import { parseAbi, toEventSelector } from 'viem/utils'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import { unlessMalformed } from '#launchpads/malformedLog.ts'
import { poolsCreated } from '#launchpads/pools/uniswapV3Factory.ts'
import { surfaceOfReferrer } from '#launchpads/surface.ts'
import { type PoolFacts, poolFacts } from '#launchpads/tokenEvent.ts'
import { decodeEvent } from '#launchpads/words.ts'
import { decodeCoinCreated } from './coinCreated.ts'

const [CREATED] = parseAbi([
  'event WowTokenCreated(address indexed factoryAddress, address indexed tokenCreator, address platformReferrer, address protocolFeeRecipient, address bondingCurve, string tokenURI, string name, string symbol, address tokenAddress, address poolAddress)',
])

export const WOW_CREATED_TOPIC = toEventSelector(CREATED)

/** The fee on the curve. */
const CURVE_FEE_BPS = 100

export interface WowContracts {
  readonly factory: Address
  /** `null`: unknown, and so are the fees of pools. */
  readonly uniswapFactory: Address | null
  readonly weth: Address
}

export interface WowCreation {
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
export function decodeWowCreation(log: ChainLog, logs: readonly ChainLog[], contracts: WowContracts): WowCreation {
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
