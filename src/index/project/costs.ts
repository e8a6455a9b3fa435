import type { Address } from '#domain/address.ts'
import { afterBuy, afterSale, afterTransferIn, afterTransferOut, atBalance, type CostBasis } from '#domain/costBasis.ts'
import { ONE, powerOfTen } from '#domain/decimal.ts'
import type { BalanceRow } from '#tables/balance.ts'
import type { TradeRow } from '#tables/trade.ts'
import type { Draft, Movement, Mutable } from './draft.ts'

const USD_UNITS = powerOfTen(18)

export function noteTransfer(
  draft: Draft,
  token: Address,
  at: Pick<Movement, 'blockNumber' | 'txHash'>,
  holder: Address,
  delta: bigint,
): void {
  const { transferred } = movementOf(draft, token, at)
  transferred.set(holder, (transferred.get(holder) ?? 0n) + delta)
}

/** The maker must have a row among the draft's balances. */
export function noteTrade(draft: Draft, trade: TradeRow): void {
  movementOf(draft, trade.token, trade).trades.push(trade)
}

/** The movement of the event's transaction: the last one or a new one, since the events of a transaction follow one another. */
function movementOf({ movements }: Draft, token: Address, { blockNumber, txHash }: Pick<Movement, 'blockNumber' | 'txHash'>): Movement {
  let ofToken = movements.get(token)
  if (ofToken === undefined) movements.set(token, (ofToken = []))
  const last = ofToken.at(-1)
  if (last !== undefined && last.txHash === txHash && last.blockNumber === blockNumber) return last
  const movement = { blockNumber, txHash, transferred: new Map(), trades: [] }
  ofToken.push(movement)
  return movement
}

/**
 * Updates what balances cost and earned. No event tells which transfers belong to a trade, so an account's transfers and trades within a
 * transaction are compared: tokens that came in besides its trades count before them, tokens that went out besides them count after them.
 */
export function settleCosts(draft: Draft): void {
  for (const [token, movements] of draft.movements) {
    const rows = draft.balances.get(token)
    const before = draft.rows.balances.get(token)
    const held = new Map<Address, bigint>()
    for (const { transferred, trades } of movements) {
      const ofMaker = Map.groupBy(trades, ({ maker }) => maker)
      for (const holder of new Set([...transferred.keys(), ...ofMaker.keys()])) {
        const row = rows?.get(holder)
        if (row === undefined) throw new TypeError(`${holder} has moved ${token} and has no balance`)
        const was = held.get(holder) ?? before?.get(holder)?.balance ?? 0n
        held.set(holder, settleMovement(row, was, transferred.get(holder) ?? 0n, ofMaker.get(holder) ?? []))
      }
    }
  }
}

/** @returns the balance after the movement */
function settleMovement(row: Mutable<BalanceRow>, was: bigint, transferred: bigint, trades: readonly TradeRow[]): bigint {
  const others = trades.reduce((rest, { side, amountToken }) => (side === 'buy' ? rest - amountToken : rest + amountToken), transferred)
  let held = was
  const move = (delta: bigint, wei: (basis: CostBasis) => CostBasis, usd: (basis: CostBasis) => CostBasis) => {
    const after = held + delta
    const inWei = atBalance(wei({ cost: row.costWei, realized: row.realizedWei }), after)
    const inUsd = atBalance(usd({ cost: row.costUsd, realized: row.realizedUsd }), after)
    row.costWei = inWei.cost
    row.realizedWei = inWei.realized
    row.costUsd = inUsd.cost
    row.realizedUsd = inUsd.realized
    held = after
  }
  if (others > 0n) move(others, afterTransferIn, afterTransferIn)
  for (const trade of trades) {
    const { side, amountToken, amountWei, timestamp } = trade
    const amountUsd = usdOf(trade)
    const before = held
    row.firstTradeAt = Math.min(row.firstTradeAt ?? timestamp, timestamp)
    if (side === 'buy') {
      row.buys += 1
      row.lastBuyAt = timestamp
      row.boughtToken += amountToken
      row.boughtWei = sumOfKnown(row.boughtWei, amountWei)
      row.boughtUsd = sumOfKnown(row.boughtUsd, amountUsd)
      move(
        amountToken,
        basis => afterBuy(basis, amountWei),
        basis => afterBuy(basis, amountUsd),
      )
    } else {
      row.sells += 1
      row.lastSellAt = timestamp
      row.soldToken += amountToken
      row.soldWei = sumOfKnown(row.soldWei, amountWei)
      row.soldUsd = sumOfKnown(row.soldUsd, amountUsd)
      move(
        -amountToken,
        basis => afterSale(basis, before, amountToken, amountWei),
        basis => afterSale(basis, before, amountToken, amountUsd),
      )
    }
  }
  if (others < 0n) {
    const before = held
    const out = (basis: CostBasis) => afterTransferOut(basis, before, -others)
    move(others, out, out)
  }
  return held
}

/** In 10^-18 USD. */
function usdOf({ valueUsd, amountWei, ethUsd }: TradeRow): bigint | null {
  if (valueUsd !== null) return (valueUsd * USD_UNITS) / ONE
  return amountWei === null || ethUsd === null ? null : (amountWei * ethUsd) / ONE
}

function sumOfKnown(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b
}
