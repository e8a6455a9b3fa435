import { afterBuy, afterSale, afterTransferIn, afterTransferOut, atBalance, type CostBasis, saleProfit } from '#domain/costBasis.ts'
import { ONE, powerOfTen } from '#domain/decimal.ts'
import type { BalanceRow } from '#tables/balance.ts'
import type { TradeRow } from '#tables/trade.ts'
import type { Draft, MovedAccount, Movement, Mutable } from './draft.ts'
import { markInsider } from './earlyWallets.ts'

const USD_UNITS = powerOfTen(18)

/** @param row the holder's balance before the transfer */
export function noteTransfer(draft: Draft, at: Moment, row: Mutable<BalanceRow>, delta: bigint): MovedAccount {
  const account = accountOf(draft, at, row)
  account.transferred += delta
  return account
}

/** @param row the maker's balance */
export function noteTrade(draft: Draft, trade: Mutable<TradeRow>, row: Mutable<BalanceRow>): void {
  accountOf(draft, trade, row).trades.push(trade)
}

type Moment = Pick<Movement, 'blockNumber' | 'txHash'>

/** The account in the event's transaction. A transaction's events are consecutive, so the first of another one books the one before. */
function accountOf({ movements }: Draft, { blockNumber, txHash }: Moment, row: Mutable<BalanceRow>): MovedAccount {
  let movement = movements.get(row.token)
  if (movement === undefined || movement.txHash !== txHash || movement.blockNumber !== blockNumber) {
    if (movement !== undefined) bookMovement(movement)
    movement = { blockNumber, txHash, accounts: new Map() }
    movements.set(row.token, movement)
  }
  let account = movement.accounts.get(row.holder)
  if (account === undefined) {
    account = { row, held: row.balance, transferred: 0n, isFromInside: false, trades: [] }
    movement.accounts.set(row.holder, account)
  }
  return account
}

/** Books each token's last transaction, once all events are applied. */
export function bookCosts({ movements }: Draft): void {
  for (const movement of movements.values()) bookMovement(movement)
}

/**
 * Updates the costs and profits of balances. No event tells which transfers belong to a trade, so an account's transfers and trades within
 * a transaction are compared. Tokens that came in besides its trades count before them, tokens that went out besides them count after them.
 */
function bookMovement({ accounts }: Movement): void {
  for (const account of accounts.values()) bookAccount(account)
}

function bookAccount(account: MovedAccount): void {
  const { row, held: was, transferred, trades } = account
  const others = trades.reduce((rest, { side, amountToken }) => (side === 'buy' ? rest - amountToken : rest + amountToken), transferred)
  markInsider(account, others)
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
      row.lastBuyAt = Math.max(row.lastBuyAt ?? timestamp, timestamp)
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
      row.lastSellAt = Math.max(row.lastSellAt ?? timestamp, timestamp)
      row.soldToken += amountToken
      row.soldWei = sumOfKnown(row.soldWei, amountWei)
      row.soldUsd = sumOfKnown(row.soldUsd, amountUsd)
      trade.realizedWei = saleProfit(row.costWei, held, amountToken, amountWei)
      trade.realizedUsd = saleProfit(row.costUsd, held, amountToken, amountUsd)
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
}

/** The value of a trade in 10^-18 USD; `null`: not known. */
function usdOf({ valueUsd, amountWei, ethUsd }: TradeRow): bigint | null {
  if (valueUsd !== null) return (valueUsd * USD_UNITS) / ONE
  return amountWei === null || ethUsd === null ? null : (amountWei * ethUsd) / ONE
}

function sumOfKnown(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b
}
