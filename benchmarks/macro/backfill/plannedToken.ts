import type { Address } from '#domain/address.ts'

/** What the plan knows of a token: its market's reserves and a lower bound of what each wallet holds. */
export interface PlannedToken {
  readonly address: Address
  readonly curve: Address
  readonly creator: Address
  /** How often it is traded, relative to others. */
  readonly heat: number
  /** `complete`: to be graduated in the next block. */
  phase: 'curve' | 'complete' | 'pool'
  /** The curve's virtual reserves; of a pool its own, roughly. */
  wei: bigint
  tokens: bigint
  raisedWei: bigint
  readonly targetWei: bigint
  readonly balances: Map<Address, bigint>
  /** Those with a balance, for drawing one. */
  readonly holders: Address[]
}

const BPS = 10_000n
const FEE_BPS = 100n
/** The pool's rounding and ticks are not computed here: so much of what comes out is counted on. */
const SURE_PERCENT = 90n

/** What a buy on the curve gives (`BondingCurve.quoteBuy`). Moves the reserves. */
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

/** What a sale on the curve takes out, fee included (`BondingCurve.quoteSell`). Moves the reserves. */
export function quoteSell(token: PlannedToken, amount: bigint): void {
  const grossWei = (token.wei * amount) / (token.tokens + amount)
  token.wei -= grossWei
  token.raisedWei -= grossWei
  token.tokens += amount
}

/** Moves what the curve raised into the pool, at the curve's last price. */
export function openPool(token: PlannedToken): void {
  token.phase = 'pool'
  token.tokens = (token.targetWei * token.tokens) / token.wei
  token.wei = token.targetWei
}

/** What a buy in the pool gives at least. Moves the reserves roughly as the pool does. */
export function quotePoolBuy(token: PlannedToken, paidWei: bigint): bigint {
  const netWei = paidWei - (paidWei * FEE_BPS) / BPS
  const out = (token.tokens * netWei) / (token.wei + netWei)
  token.wei += netWei
  token.tokens -= out
  return (out * SURE_PERCENT) / 100n
}

export function quotePoolSell(token: PlannedToken, amount: bigint): void {
  // The fee is no part of what the price is made of.
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

/** A share of an amount, exact to a billionth. */
export function draw(amount: bigint, share: number): bigint {
  return (amount * BigInt(Math.floor(share * 1e9))) / 1_000_000_000n
}
