import type { AbiEvent } from 'viem'
import { parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanTokenTexts } from '#domain/text.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { v4PoolId } from '#launchpads/pools/v4PoolId.ts'
import { type PoolFacts, poolFacts } from '#launchpads/tokenEvent.ts'
import { decodeEvent } from '#launchpads/words.ts'

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

export interface FlaunchCreation {
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
export function decodeFlaunchCreation(
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
