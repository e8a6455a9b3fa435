import type { Hex } from 'viem'
import { curveAbi, tokenAbi } from '#devchain/abis.ts'
import {
  buyOnCurve,
  claim,
  collectFees,
  type DevChain,
  graduate,
  launch,
  sellOnCurve,
  swapDirectly,
  swapThroughRouter,
  transfer,
  wrap,
} from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Bound, Intent } from './decide.ts'

/** More than any trade gives. */
const HOPELESS = 2n ** 200n
const FAIR_PERCENT = 92n
const PARTS = 1_000_000_000

/** Sends an intent's transactions; `null` when there is nothing to send, for example without a balance. */
type Sending = (() => Promise<Hex>) | null

/**
 * Turns intents into transactions: reads all balances and quotes at once, then sends in the order of the intents. An intent that
 * the node rejects is counted and skipped.
 */
export async function sendIntents(
  chain: DevChain,
  intents: readonly Intent[],
): Promise<{ readonly sent: number; readonly refused: number }> {
  const sendings = await Promise.all(intents.map(intent => prepare(chain, intent)))
  let sent = 0
  let refused = 0
  for (const sending of sendings) {
    if (sending === null) continue
    try {
      await sending()
      sent++
    } catch {
      refused++ // for example, the sender's balance is too small
    }
  }
  return { sent, refused }
}

async function prepare(chain: DevChain, intent: Intent): Promise<Sending> {
  const { from } = intent
  switch (intent.kind) {
    case 'launch':
      return () => launch(chain, intent)
    case 'curveBuy':
      return prepareCurveBuy(chain, intent)
    case 'curveSell':
      return prepareCurveSell(chain, intent)
    case 'poolBuy':
      return preparePoolBuy(chain, intent)
    case 'poolSell': {
      const amountIn = await share(chain, intent.token.address, from, intent.fraction)
      const swap = { from, token: intent.token.address, side: 'sell', amountIn } as const
      const { pool } = intent.token
      if (amountIn === 0n || pool === null) return null
      return () => (intent.route === 'router' ? swapThroughRouter(chain, swap) : swapDirectly(chain, { ...swap, pool }))
    }
    case 'transfer': {
      const amount = await share(chain, intent.token.address, from, intent.fraction)
      return amount === 0n ? null : () => transfer(chain, { from, currency: intent.token.address, to: intent.to, amount })
    }
    case 'graduate':
      return () => graduate(chain, { from, token: intent.token.address })
    case 'collectFees':
      return () => collectFees(chain, { from, token: intent.token.address })
    case 'claim':
      return () => claim(chain, { from, token: intent.token.address })
  }
}

async function prepareCurveBuy(chain: DevChain, intent: Intent & { kind: 'curveBuy' }): Promise<Sending> {
  const { from, token, wei: paidWei, bound, recipient } = intent
  const { curve } = token
  const quote = async () => {
    const [tokens] = await chain.client.readContract({ address: curve, abi: curveAbi, functionName: 'quoteBuy', args: [paidWei] })
    return tokens
  }
  const minTokensOut = await limit(bound, quote)
  return () => buyOnCurve(chain, { from, curve, paidWei, minTokensOut, recipient })
}

async function prepareCurveSell(chain: DevChain, intent: Intent & { kind: 'curveSell' }): Promise<Sending> {
  const { from, token, fraction, bound } = intent
  const { curve } = token
  const amount = await share(chain, token.address, from, fraction)
  if (amount === 0n) return null
  const quote = async () => {
    const [received] = await chain.client.readContract({ address: curve, abi: curveAbi, functionName: 'quoteSell', args: [amount] })
    return received
  }
  const minWeiOut = await limit(bound, quote)
  return () => sellOnCurve(chain, { from, token: token.address, curve, amount, minWeiOut })
}

async function preparePoolBuy(chain: DevChain, intent: Intent & { kind: 'poolBuy' }): Promise<Sending> {
  const { from, token, wei: amountIn, route } = intent
  const { pool } = token
  if (pool === null) return null
  const swap = { from, token: token.address, side: 'buy', amountIn } as const
  if (route === 'router') return () => swapThroughRouter(chain, swap)
  const held = await balanceOf(chain, chain.deployment.weth, from)
  return async () => {
    if (held < amountIn) await wrap(chain, { from, amountWei: amountIn })
    return swapDirectly(chain, { ...swap, pool })
  }
}

async function limit(bound: Bound, quote: () => Promise<bigint>): Promise<bigint> {
  switch (bound) {
    case 'none':
      return 0n
    case 'hopeless':
      return HOPELESS
    case 'fair':
      return ((await quote()) * FAIR_PERCENT) / 100n
  }
}

async function share(chain: DevChain, token: Address, holder: Address, fraction: number): Promise<bigint> {
  const balance = await balanceOf(chain, token, holder)
  return fraction >= 1 ? balance : (balance * BigInt(Math.floor(fraction * PARTS))) / BigInt(PARTS)
}

function balanceOf(chain: DevChain, currency: Address, holder: Address): Promise<bigint> {
  return chain.client.readContract({ address: currency, abi: tokenAbi, functionName: 'balanceOf', args: [holder] })
}
