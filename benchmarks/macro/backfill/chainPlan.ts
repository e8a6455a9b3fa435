import { encodeFunctionData, getContractAddress, maxUint256, parseEther } from 'viem'
import { curveAbi, launchpadAbi, routerAbi, tokenAbi } from '#devchain/abis.ts'
import type { Deployment } from '#devchain/deploy.ts'
import { createRandom, type Random } from '#devchain/traders/random.ts'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import { addTo, draw, openPool, type PlannedToken, quoteBuy, quotePoolBuy, quotePoolSell, quoteSell, take } from './plannedToken.ts'

/** The contents of the chain. Equal settings give the same transactions in the same blocks. */
export interface ChainSettings {
  readonly seed: number
  readonly tokens: number
  readonly trades: number
  readonly wallets: number
  readonly blocks: number
  readonly secondsPerBlock: number
}

export interface PlannedTransaction {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly valueWei: bigint
  readonly gas: bigint
}

const TRADE_GAS = 500_000n
const LAUNCH_GAS = 8_000_000n
const GRADUATE_GAS = 9_000_000n
const POOL_FEE = 10_000
const DEAD = '0x000000000000000000000000000000000000dead' as Address
/** The share of the chain, from its start, in which tokens are launched. */
const LAUNCHING_SHARE = 0.7
/** The share of empty blocks. */
const EMPTY_SHARE = 0.1

export function walletOf(index: number): Address {
  return toAddress(`0x${(0x77a11e7000000 + index).toString(16).padStart(40, '0')}`)
}

/**
 * Plans each block without a chain: curves are computed as their contract does, and the plan counts on only a part of a pool's output,
 * so that no planned transaction fails.
 */
export function* planChain(settings: ChainSettings, deployment: Deployment): Generator<readonly PlannedTransaction[]> {
  const random = createRandom(settings.seed)
  const tokens: PlannedToken[] = []
  const approved = new Set<string>()
  let tradesLeft = settings.trades

  for (let block = 0; block < settings.blocks; block++) {
    const transactions: PlannedTransaction[] = []
    for (const token of tokens) {
      if (token.phase !== 'complete') continue
      transactions.push(call(token.creator, deployment.launchpad, graduation(token), 0n, GRADUATE_GAS))
      openPool(token)
    }
    // A token can be traded from the block after its launch, because its address is unknown before.
    const tradable = tokens.length
    const due = Math.min(settings.tokens, Math.ceil((settings.tokens * (block + 1)) / (settings.blocks * LAUNCHING_SHARE)))
    while (tokens.length < due) transactions.push(launchNext(tokens, settings, deployment, random))

    const blocksLeft = settings.blocks - block
    const isEmpty = blocksLeft > 10 && random.chance(EMPTY_SHARE)
    const average = tradesLeft / blocksLeft / (1 - EMPTY_SHARE)
    const trades =
      tradable === 0 || isEmpty ? 0 : Math.min(tradesLeft, blocksLeft === 1 ? tradesLeft : random.integer(0, Math.round(average * 2)))
    for (let index = 0; index < trades; index++) {
      const token = pickToken(tokens.slice(0, tradable), random)
      if (token === null) break
      transactions.push(...tradeOf(token, { settings, deployment, random, approved }))
      tradesLeft--
      if (random.chance(0.06)) transactions.push(...transferOf(token, settings, random))
      if (random.chance(0.01)) transactions.push(call(token.creator, deployment.launchpad, claimOf(token)))
    }
    yield transactions
  }
}

function launchNext(tokens: PlannedToken[], settings: ChainSettings, { launchpad }: Deployment, random: Random): PlannedTransaction {
  const index = tokens.length
  // The launchpad creates a curve and then a token, each with its next nonce.
  const [curve, address] = [1, 2].map(offset => toAddress(getContractAddress({ from: launchpad, nonce: BigInt(2 * index + offset) })))
  if (curve === undefined || address === undefined) throw new TypeError('two addresses')
  const creator = walletOf(random.integer(0, Math.min(60, settings.wallets) - 1))
  const token: PlannedToken = {
    address,
    curve,
    creator,
    heat: random.spread(0.01, 8),
    phase: 'curve',
    ...START,
    balances: new Map(),
    holders: [],
  }
  tokens.push(token)
  const firstBuyWei = random.chance(0.5) ? parseEther(random.spread(0.001, 0.4).toFixed(9)) : 0n
  if (firstBuyWei > 0n) addTo(token, creator, quoteBuy(token, firstBuyWei))
  const args = [`Token ${index}`, `TK${index}`, `ipfs://token-${index}`, 0n] as const
  return call(creator, launchpad, encodeFunctionData({ abi: launchpadAbi, functionName: 'launch', args }), firstBuyWei, LAUNCH_GAS)
}

const TARGET_WEI = parseEther('4.2')
const START = { wei: (TARGET_WEI * 5n) / 14n, tokens: 1_073_000_000n * 10n ** 18n, raisedWei: 0n, targetWei: TARGET_WEI }

interface TradeContext {
  readonly settings: ChainSettings
  readonly deployment: Deployment
  readonly random: Random
  readonly approved: Set<string>
}

function tradeOf(token: PlannedToken, context: TradeContext): readonly PlannedTransaction[] {
  const { settings, random } = context
  const seller = token.holders.length > 0 && random.chance(token.phase === 'pool' ? 0.5 : 0.42) ? random.pick(token.holders) : null
  const held = seller === null ? 0n : (token.balances.get(seller) ?? 0n)
  if (seller !== null && held > 10n ** 18n) {
    const amount = random.chance(0.4) ? held : draw(held, random.spread(0.01, 0.9))
    take(token, seller, amount)
    return sale(token, seller, amount, context)
  }
  const buyer = walletOf(random.integer(0, settings.wallets - 1))
  const wei = parseEther(random.spread(0.001, 0.15).toFixed(9))
  if (token.phase === 'pool') {
    addTo(token, buyer, quotePoolBuy(token, wei))
    return [call(buyer, context.deployment.swapRouter, swapData(context.deployment, token, 'buy', buyer, wei), wei)]
  }
  addTo(token, buyer, quoteBuy(token, wei))
  return [call(buyer, token.curve, encodeFunctionData({ abi: curveAbi, functionName: 'buy', args: [buyer, 0n] }), wei)]
}

function sale(token: PlannedToken, seller: Address, amount: bigint, { deployment, approved }: TradeContext): readonly PlannedTransaction[] {
  const spender = token.phase === 'pool' ? deployment.swapRouter : token.curve
  const key = `${token.address}${seller}${spender}`
  const approval = call(seller, token.address, encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, maxUint256] }))
  const first = approved.has(key) ? [] : [approval]
  approved.add(key)
  if (token.phase === 'pool') {
    quotePoolSell(token, amount)
    return [...first, call(seller, spender, swapData(deployment, token, 'sell', seller, amount))]
  }
  quoteSell(token, amount)
  return [...first, call(seller, spender, encodeFunctionData({ abi: curveAbi, functionName: 'sell', args: [amount, seller, 0n] }))]
}

function swapData({ weth }: Deployment, token: PlannedToken, side: 'buy' | 'sell', recipient: Address, amountIn: bigint): Hex {
  const [tokenIn, tokenOut] = side === 'buy' ? [weth, token.address] : [token.address, weth]
  const rest = { fee: POOL_FEE, recipient, deadline: maxUint256, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }
  return encodeFunctionData({ abi: routerAbi, functionName: 'exactInputSingle', args: [{ tokenIn, tokenOut, ...rest }] })
}

function transferOf(token: PlannedToken, settings: ChainSettings, random: Random): readonly PlannedTransaction[] {
  if (token.holders.length === 0) return []
  const from = random.pick(token.holders)
  const amount = draw(token.balances.get(from) ?? 0n, random.spread(0.01, 0.9))
  if (amount === 0n) return []
  const to = random.chance(0.1) ? DEAD : walletOf(random.integer(0, settings.wallets - 1))
  take(token, from, amount)
  if (to !== DEAD) addTo(token, to, amount)
  return [call(from, token.address, encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] }))]
}

function graduation({ address }: PlannedToken): Hex {
  return encodeFunctionData({ abi: launchpadAbi, functionName: 'graduate', args: [address] })
}

function claimOf({ address }: PlannedToken): Hex {
  return encodeFunctionData({ abi: launchpadAbi, functionName: 'claim', args: [address] })
}

/** Draws a token that can be traded: not one with a complete curve whose pool is not open yet. */
function pickToken(tokens: readonly PlannedToken[], random: Random): PlannedToken | null {
  const open = tokens.filter(({ phase }) => phase !== 'complete')
  return open.length === 0 ? null : (open[random.weighted(open.map(({ heat }) => heat))] ?? null)
}

function call(from: Address, to: Address, data: Hex, valueWei = 0n, gas = TRADE_GAS): PlannedTransaction {
  return { from, to, data, valueWei, gas }
}
