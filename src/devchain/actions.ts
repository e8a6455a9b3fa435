import { encodeFunctionData, type Hex, isAddressEqual, maxUint256, parseEventLogs, parseGwei, type TransactionReceipt } from 'viem'
import { type Address, toAddress } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import { curveAbi, launchpadAbi, routerAbi, swapperAbi, tokenAbi, wethAbi } from './abis.ts'
import type { DevClient } from './client.ts'
import type { Deployment } from './deploy.ts'
import type { Factories } from './deployFactories.ts'

/*
 * The actions of creators and traders. Each sends its transactions from an unlocked account, first an approval where an ERC-20 lacks one,
 * and resolves with the hash of the last one before it is mined. The gas limit is fixed: a transaction that will revert is mined, too.
 */

/** A chain with the launchpad on it. */
export interface DevChain {
  readonly client: DevClient
  readonly deployment: Deployment
  /** Further launchpads. Left out: there are none. */
  readonly factories?: Factories
}

const TRADE_GAS = 500_000n
/** Creates a curve and a token; long names cost more. */
const LAUNCH_GAS = 8_000_000n
/** Creates and initialises a pool and mints its position. */
const GRADUATE_GAS = 9_000_000n
const FEES = { maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('0.01') }
/** One step inside the lowest and the highest price of a Uniswap v3 pool (TickMath). */
const MIN_SQRT_RATIO = 4295128740n
const MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970341n
const POOL_FEE = 10_000

export interface LaunchOptions {
  readonly from: Address
  readonly name: string
  readonly symbol: string
  readonly metadataUri?: string
  /** The creator's first buy, in the same transaction. Default none. */
  readonly firstBuyWei?: bigint
  readonly minTokensOut?: bigint
  /** A launchpad whose curves take this ERC-20, which also pays the first buy. Default: the reference launchpad. */
  readonly market?: { readonly launchpad: Address; readonly currency: Address }
}

export async function launch(chain: DevChain, options: LaunchOptions): Promise<Hex> {
  const { from, name, symbol, metadataUri = '', firstBuyWei = 0n, minTokensOut = 0n, market } = options
  if (market === undefined) {
    const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'launch', args: [name, symbol, metadataUri, minTokensOut] })
    return sendCall(chain, { from, to: chain.deployment.launchpad, data, value: firstBuyWei, gas: LAUNCH_GAS })
  }
  const { launchpad, currency } = market
  if (firstBuyWei > 0n) await allow(chain, { from, currency, spender: launchpad, amount: firstBuyWei })
  const args = [name, symbol, metadataUri, firstBuyWei, minTokensOut] as const
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'launchWith', args })
  return sendCall(chain, { from, to: launchpad, data, gas: LAUNCH_GAS })
}

export interface Launched {
  readonly token: Address
  readonly curve: Address
  readonly creator: Address
}

/**
 * The token of a launch.
 *
 * @throws `Error` when the receipt is not of a successful launch
 */
export function readLaunched(receipt: TransactionReceipt): Launched {
  const [event] = parseEventLogs({ abi: launchpadAbi, eventName: 'TokenLaunched', logs: receipt.logs })
  if (event === undefined) throw new Error('the transaction launched no token')
  const { token, curve, creator } = event.args
  return { token: toAddress(token), curve: toAddress(curve), creator: toAddress(creator) }
}

export interface CurveBuyOptions {
  readonly from: Address
  readonly curve: Address
  /** Includes the fee. The curve returns the amount that exceeds its target. */
  readonly paidWei: bigint
  readonly minTokensOut?: bigint
  /** Default: the buyer. */
  readonly recipient?: Address
  /** The ERC-20 that the curve takes. Default: it takes ETH. */
  readonly currency?: Address | undefined
}

export async function buyOnCurve(chain: DevChain, options: CurveBuyOptions): Promise<Hex> {
  const { from, curve, paidWei, minTokensOut = 0n, recipient = from, currency } = options
  if (currency !== undefined) {
    await allow(chain, { from, currency, spender: curve, amount: paidWei })
    const args = [paidWei, recipient, minTokensOut] as const
    return sendCall(chain, { from, to: curve, data: encodeFunctionData({ abi: curveAbi, functionName: 'buyWith', args }) })
  }
  const data = encodeFunctionData({ abi: curveAbi, functionName: 'buy', args: [recipient, minTokensOut] })
  return sendCall(chain, { from, to: curve, data, value: paidWei })
}

export interface CurveSellOptions {
  readonly from: Address
  readonly token: Address
  readonly curve: Address
  readonly amount: bigint
  readonly minWeiOut?: bigint
  /** Default: the seller. */
  readonly recipient?: Address
}

export async function sellOnCurve(chain: DevChain, options: CurveSellOptions): Promise<Hex> {
  const { from, token, curve, amount, minWeiOut = 0n, recipient = from } = options
  await allow(chain, { from, currency: token, spender: curve, amount })
  const data = encodeFunctionData({ abi: curveAbi, functionName: 'sell', args: [amount, recipient, minWeiOut] })
  return sendCall(chain, { from, to: curve, data })
}

export interface TokenOptions {
  readonly from: Address
  readonly token: Address
  /** Default: the reference launchpad. */
  readonly launchpad?: Address | undefined
}

/** Moves a complete curve's ETH and tokens into a Uniswap pool. */
export function graduate(chain: DevChain, { from, token, launchpad = chain.deployment.launchpad }: TokenOptions): Promise<Hex> {
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'graduate', args: [token] })
  return sendCall(chain, { from, to: launchpad, data, gas: GRADUATE_GAS })
}

/** Collects a graduated token's LP fees into the escrow. */
export function collectFees(chain: DevChain, { from, token, launchpad = chain.deployment.launchpad }: TokenOptions): Promise<Hex> {
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'collectFees', args: [token] })
  return sendCall(chain, { from, to: launchpad, data })
}

/** Pays out the creator's fees. `from` must be the creator. */
export function claim(chain: DevChain, { from, token, launchpad = chain.deployment.launchpad }: TokenOptions): Promise<Hex> {
  const data = encodeFunctionData({ abi: launchpadAbi, functionName: 'claim', args: [token] })
  return sendCall(chain, { from, to: launchpad, data })
}

export interface RouterSwapOptions {
  /** Pays and receives. A sell pays out WETH. */
  readonly from: Address
  readonly token: Address
  readonly side: TradeSide
  /** A buy pays in ETH, a sell in the token. */
  readonly amountIn: bigint
  readonly minAmountOut?: bigint
  /** The pool's fee, in hundredths of a basis point. Default: 1 %. */
  readonly fee?: number
  /** The currency that the token is paired with. Default: WETH. */
  readonly quote?: Address | undefined
}

/** Trades a graduated token through Uniswap's SwapRouter. A buy is in ETH where the token is paired with WETH. */
export async function swapThroughRouter(chain: DevChain, options: RouterSwapOptions): Promise<Hex> {
  const { weth, swapRouter } = chain.deployment
  const { from, token, side, amountIn, minAmountOut = 0n, fee = POOL_FEE, quote = weth } = options
  const [tokenIn, tokenOut] = side === 'buy' ? [quote, token] : [token, quote]
  if (tokenIn !== weth) await allow(chain, { from, currency: tokenIn, spender: swapRouter, amount: amountIn })
  const params = {
    tokenIn,
    tokenOut,
    fee,
    recipient: from,
    deadline: maxUint256,
    amountIn,
    amountOutMinimum: minAmountOut,
    sqrtPriceLimitX96: 0n,
  }
  const data = encodeFunctionData({ abi: routerAbi, functionName: 'exactInputSingle', args: [params] })
  return sendCall(chain, { from, to: swapRouter, data, value: tokenIn === weth ? amountIn : 0n })
}

export interface DirectSwapOptions {
  readonly from: Address
  readonly token: Address
  readonly pool: Address
  readonly side: TradeSide
  /** A buy pays in what the token is paired with (for WETH see `wrap`), a sell in the token. */
  readonly amountIn: bigint
  /** The currency that the token is paired with. Default: WETH. */
  readonly quote?: Address | undefined
}

/** Swaps in the pool without a router and without a price limit. */
export async function swapDirectly(chain: DevChain, options: DirectSwapOptions): Promise<Hex> {
  const { weth, directSwapper } = chain.deployment
  const { from, token, pool, side, amountIn, quote = weth } = options
  const currency = side === 'buy' ? quote : token
  await allow(chain, { from, currency, spender: directSwapper, amount: amountIn })
  const zeroForOne = BigInt(currency) < BigInt(isAddressEqual(currency, quote) ? token : quote)
  const args = [pool, from, zeroForOne, amountIn, zeroForOne ? MIN_SQRT_RATIO : MAX_SQRT_RATIO] as const
  return sendCall(chain, { from, to: directSwapper, data: encodeFunctionData({ abi: swapperAbi, functionName: 'swap', args }) })
}

export interface TransferOptions {
  readonly from: Address
  /** A token or WETH. */
  readonly currency: Address
  readonly to: Address
  readonly amount: bigint
}

/** A plain ERC-20 transfer between wallets. */
export function transfer(chain: DevChain, { from, currency, to, amount }: TransferOptions): Promise<Hex> {
  return sendCall(chain, { from, to: currency, data: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] }) })
}

export interface ApproveOptions {
  readonly from: Address
  readonly currency: Address
  readonly spender: Address
  readonly amount: bigint
}

export function approve(chain: DevChain, { from, currency, spender, amount }: ApproveOptions): Promise<Hex> {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, amount] })
  return sendCall(chain, { from, to: currency, data })
}

/** Approves the spender for any amount, unless it may spend this amount already. */
export async function allow(chain: DevChain, { from, currency, spender, amount }: ApproveOptions): Promise<void> {
  const allowance = await chain.client.readContract({ address: currency, abi: tokenAbi, functionName: 'allowance', args: [from, spender] })
  if (allowance < amount) await approve(chain, { from, currency, spender, amount: maxUint256 })
}

/** Wraps ETH into WETH. */
export function wrap(chain: DevChain, { from, amountWei }: { readonly from: Address; readonly amountWei: bigint }): Promise<Hex> {
  const data = encodeFunctionData({ abi: wethAbi, functionName: 'deposit' })
  return sendCall(chain, { from, to: chain.deployment.weth, data, value: amountWei })
}

interface Call {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly value?: bigint
  readonly gas?: bigint
  /** Exactly what is paid per gas. Default: a little more than the block asks for. */
  readonly gasPrice?: bigint | undefined
}

export function sendCall(chain: DevChain, { from, to, data, value = 0n, gas = TRADE_GAS, gasPrice }: Call): Promise<Hex> {
  const fees = gasPrice === undefined ? FEES : { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
  return chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas, ...fees })
}
