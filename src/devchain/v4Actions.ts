import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, parseAbiParameters } from 'viem'
import type { Address } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import { allow, type DevChain, sendCall } from './actions.ts'
import { DOLLAR_DECIMALS, DOLLARS_PER_ETHER, type Factories, sqrtPrice } from './deployFactories.ts'
import { auctionAbi, feeLockerAbi, v4HookAbi, v4LaunchpadAbi, v4LockerAbi, v4RouterAbi } from './v4Abis.ts'

/* The actions of creators and traders of tokens that trade in Uniswap v4, as of `actions.ts`. */

/** The key of a pool of Uniswap v4. */
export interface V4PoolKey {
  readonly currency0: Address
  readonly currency1: Address
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}

/** A chain with the v4 launchpad. */
export type V4Chain = DevChain & { readonly factories: Factories }

const DYNAMIC_FEE = 0x80_00_00
const TICK_SPACING = 200
const TICK_BASE = 1.0001
/** A token's market cap at its launch, in ETH. */
const FIRST_CAP = 10
const SUPPLY = 1e27
/** Moves the first price out of the positions, which then take tokens alone. */
const BESIDE = 0.999_98
const SWAP_GAS = 1_500_000n
const LAUNCH_GAS = 12_000_000n

export function poolIdOf({ currency0, currency1, fee, tickSpacing, hooks }: V4PoolKey): Hex {
  const types = parseAbiParameters('address, address, uint24, int24, address')
  return keccak256(encodeAbiParameters(types, [currency0, currency1, fee, tickSpacing, hooks]))
}

/** The pool of a token of the v4 launchpad. */
export function v4KeyOf({ factories }: V4Chain, token: Address, quote: Address): V4PoolKey {
  const [currency0, currency1] = token < quote ? [token, quote] : [quote, token]
  return { currency0, currency1, fee: DYNAMIC_FEE, tickSpacing: TICK_SPACING, hooks: factories.v4.hook }
}

export interface V4LaunchOptions {
  /** Sends the launch and creates the token. */
  readonly from: Address
  readonly name: string
  readonly symbol: string
  readonly metadata?: string
  /** WETH, dollars, or any token of 18 decimals, which is taken to be worth as much as ETH. */
  readonly quote: Address
  /** Contracts that get a part of the supply. Default: none. */
  readonly extensions?: readonly V4Extension[]
}

/** A contract that gets a part of the supply, and `value` wei with it. */
export interface V4Extension {
  readonly target: Address
  readonly bps: number
  readonly value: bigint
  readonly data: Hex
}

export function launchInV4(chain: V4Chain, options: V4LaunchOptions): Promise<Hex> {
  const value = (options.extensions ?? []).reduce((sum, extension) => sum + extension.value, 0n)
  const { launchpad } = chain.factories.v4
  return sendCall(chain, { from: options.from, to: launchpad, data: v4LaunchCall(chain, options), value, gas: LAUNCH_GAS })
}

/** The call of a launch, which other accounts may send, too. */
export function v4LaunchCall({ factories }: V4Chain, options: V4LaunchOptions): Hex {
  const { from: admin, name, symbol, metadata = '{}', quote, extensions = [] } = options
  const cap = quote === factories.dollar ? FIRST_CAP * Number(DOLLARS_PER_ETHER) * 10 ** DOLLAR_DECIMALS : FIRST_CAP * 1e18
  const startingTick = Math.round(Math.log(cap / SUPPLY) / Math.log(TICK_BASE) / TICK_SPACING) * TICK_SPACING
  const sqrtPriceX96 = sqrtPrice(TICK_BASE ** startingTick * BESIDE)
  const terms = { name, symbol, metadata, admin, quote, startingTick, sqrtPriceX96, extensions }
  return encodeFunctionData({ abi: v4LaunchpadAbi, functionName: 'launch', args: [terms] })
}

export interface V4SwapOptions {
  readonly from: Address
  readonly token: Address
  readonly quote: Address
  readonly side: TradeSide
  /** A buy pays in the quote currency, a sell in the token. */
  readonly amountIn: bigint
  /** A bid in the pool's auction, which the trader pays in WETH (see `wrap`). Default: no bid. */
  readonly bid?: Bid | undefined
}

/** A bid: the gas price decides, and `paid` follows from it. */
export interface Bid {
  readonly gasPrice: bigint
  readonly paid: bigint
}

export async function swapInV4(chain: V4Chain, { from, token, quote, side, amountIn, bid }: V4SwapOptions): Promise<Hex> {
  const { router, auction } = chain.factories.v4
  const currency = side === 'buy' ? quote : token
  await allow(chain, { from, currency, spender: router, amount: amountIn })
  if (bid !== undefined) await allow(chain, { from, currency: chain.deployment.weth, spender: auction, amount: bid.paid })
  const key = v4KeyOf(chain, token, quote)
  const hookData = bid === undefined ? '0x' : encodeAbiParameters(parseAbiParameters('address'), [from])
  const args = [key, currency === key.currency0, -amountIn, hookData] as const
  const data = encodeFunctionData({ abi: v4RouterAbi, functionName: 'swap', args })
  return sendCall(chain, { from, to: router, data, gas: SWAP_GAS, gasPrice: bid?.gasPrice })
}

/** What a pool's auction asks of a swap in the next block. */
export type AuctionTerms = { readonly kind: 'over' } | { readonly kind: 'wait' } | { readonly kind: 'bid'; readonly gasPeg: bigint }

/** As long as the auction is open, every swap reverts except a winning bid in the block of its round. */
export async function readAuction({ client, factories }: V4Chain, id: Hex): Promise<AuctionTerms> {
  const { hook, auction } = factories.v4
  const [head, [, , guarded], [, blockNumber, gasPeg]] = await Promise.all([
    client.getBlockNumber(),
    client.readContract({ address: hook, abi: v4HookAbi, functionName: 'pools', args: [id] }),
    client.readContract({ address: auction, abi: auctionAbi, functionName: 'rounds', args: [id] }),
  ])
  const next = head + 1n
  if (!guarded || next > blockNumber) return { kind: 'over' }
  return next === blockNumber ? { kind: 'bid', gasPeg } : { kind: 'wait' }
}

/** A bid of `units` wei of gas price above the peg, each of which costs `PAYMENT_PER_GAS_UNIT` (`SniperAuction.sol`). */
export function bidAbove(gasPeg: bigint, units: bigint): Bid {
  return { gasPrice: gasPeg + units, paid: units * 10n ** 14n }
}

/** Pays the token's collected LP fees into the creator's accounts. */
export function collectV4Fees(chain: V4Chain, { from, token }: { readonly from: Address; readonly token: Address }): Promise<Hex> {
  const data = encodeFunctionData({ abi: v4LockerAbi, functionName: 'collectRewards', args: [token] })
  return sendCall(chain, { from, to: chain.factories.v4.locker, data, gas: SWAP_GAS })
}

/** What an account of the fee locker holds. */
export function creatorFees({ client, factories }: V4Chain, creator: Address, currency: Address): Promise<bigint> {
  const { feeLocker: address } = factories.v4
  return client.readContract({ address, abi: feeLockerAbi, functionName: 'availableFees', args: [creator, currency] })
}

/** Pays out an account of the fee locker. */
export function claimV4Fees(chain: V4Chain, { from, currency }: { readonly from: Address; readonly currency: Address }): Promise<Hex> {
  const data = encodeFunctionData({ abi: feeLockerAbi, functionName: 'claim', args: [from, currency] })
  return sendCall(chain, { from, to: chain.factories.v4.feeLocker, data })
}
