import type { Address } from '#domain/address.ts'

/** The plan's state of a token: its market's reserves and a lower bound of each wallet's balance. */
export interface PlannedToken {
  readonly address: Address
  readonly curve: Address
  readonly creator: Address
  /** How often it is traded, relative to other tokens. */
  readonly heat: number
  /** `complete`: it graduates in the next block. */
  phase: 'curve' | 'complete' | 'pool'
  /** The curve's virtual reserves, or approximately the pool's. */
  wei: bigint
  tokens: bigint
  raisedWei: bigint
  readonly targetWei: bigint
  readonly balances: Map<Address, bigint>
  /** The wallets with a balance, to draw one at random. */
  readonly holders: Address[]
}

const BPS = 10_000n
const FEE_BPS = 100n
/** The plan does not compute the pool's rounding and ticks: it counts on this share of the output. */
const SURE_PERCENT = 90n

/** The output of a buy on the curve (`BondingCurve.quoteBuy`). Changes the reserves. */
export function quoteBuy(token: PlannedToken, paidWei: bigint): bigint {
  const missingWei = token.targetWei - token.raisedWei
  const offeredWei = paidWei - (paidWei * FEE_BPS) / BPS
  const netWei = offeredWei > missingWei ? missingWei : offeredWei
  const out = (token.tokens * netWei) / (token.wei + netWei)
  token.wei += netWei
  token.raisedWei += netWei
  token.tokens -= out
  if (token.raisedWei === token.targetWei) token.phase = 'complete'
  return out
}

/** The output of a sale on the curve, fee included (`BondingCurve.quoteSell`). Changes the reserves. */
export function quoteSell(token: PlannedToken, amount: bigint): void {
  const grossWei = (token.wei * amount) / (token.tokens + amount)
  token.wei -= grossWei
  token.raisedWei -= grossWei
  token.tokens += amount
}

/** Moves the raised ether into the pool, at the curve's last price. */
export function openPool(token: PlannedToken): void {
  token.phase = 'pool'
  token.tokens = (token.targetWei * token.tokens) / token.wei
  token.wei = token.targetWei
}

/** A lower bound of the output of a buy in the pool. Changes the reserves approximately as the pool does. */
export function quotePoolBuy(token: PlannedToken, paidWei: bigint): bigint {
  const netWei = paidWei - (paidWei * FEE_BPS) / BPS
  const out = (token.tokens * netWei) / (token.wei + netWei)
  token.wei += netWei
  token.tokens -= out
  return (out * SURE_PERCENT) / 100n
}

export function quotePoolSell(token: PlannedToken, amount: bigint): void {
  // The fee does not change the price.
  const net = amount - (amount * FEE_BPS) / BPS
  token.wei -= (token.wei * net) / (token.tokens + net)
  token.tokens += net
}

export function addTo(token: PlannedToken, holder: Address, amount: bigint): void {
  const held = token.balances.get(holder) ?? 0n
  if (held === 0n && amount > 0n) token.holders.push(holder)
  token.balances.set(holder, held + amount)
}

export function take(token: PlannedToken, holder: Address, amount: bigint): void {
  const left = (token.balances.get(holder) ?? 0n) - amount
  token.balances.set(holder, left)
  if (left === 0n) token.holders.splice(token.holders.indexOf(holder), 1)
}

/** A share of an amount, exact to a billionth of it. */
export function draw(amount: bigint, share: number): bigint {
  return (amount * BigInt(Math.floor(share * 1e9))) / 1_000_000_000n
}
