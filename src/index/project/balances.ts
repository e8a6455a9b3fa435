import { type Address, BURN_ADDRESSES, isEther, ZERO_ADDRESS } from '#domain/address.ts'
import { ONE, powerOfTen } from '#domain/decimal.ts'
import {
  afterBuy,
  afterSale,
  afterTransferIn,
  afterTransferOut,
  atBalance,
  BUNDLE_MAKERS,
  CLASS_BITS,
  type CostBasis,
  EARLY_CLASSES,
  type EarlyClass,
  HELD_FIELDS,
  type HolderType,
  isAtLaunch,
  isSnipe,
  saleProfit,
} from '#domain/holder.ts'
import { getOrInsert } from '#domain/maps.ts'
import { type DatedDirectory, knownAt } from '#launchpads/decodeLogs.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { BalanceRow } from '#tables/balance.ts'
import type { EarlyClassRow } from '#tables/earlyClass.ts'
import type { TokenRow } from '#tables/token.ts'
import type { TradeRow } from '#tables/trade.ts'
import { type Draft, draftBalance, draftCreatorFee, type MovedAccount, type Movement, type Mutable, type TokenDraft } from './draft.ts'

/** Whether a transfer changes no balance. Anyone can send such transfers in another account's name. */
export function movesNothing({ from, to, amount }: Pick<TokenEventOf<'transfer'>, 'from' | 'to' | 'amount'>): boolean {
  return amount === 0n || from === to
}

export function applyTransfer(draft: Draft, token: TokenDraft, event: TokenEventOf<'transfer'>, directory: DatedDirectory): void {
  if (movesNothing(event)) return
  const { from, to, amount, blockNumber } = event
  token.asOfBlock = blockNumber
  if (from === ZERO_ADDRESS) token.totalSupply += amount
  if (to === ZERO_ADDRESS) token.totalSupply -= amount
  const move = (holder: Address, delta: bigint) => {
    if (holder === ZERO_ADDRESS) return null
    const row = heldBy(draft, token, holder, { blockNumber, directory })
    const held = row.balance > 0n
    const account = noteTransfer(draft, event, row, delta)
    row.balance += delta
    row.lastChangedBlock = blockNumber
    const holds = row.balance > 0n
    if (held !== holds) token.holderCount += holds ? 1 : -1
    return account
  }
  const sender = move(from, -amount)
  const receiver = move(to, amount)
  if (sender !== null && receiver !== null) followInside(sender, receiver)
}

interface At {
  readonly blockNumber: number
  readonly directory: DatedDirectory
}

/** The holder's balance of the token, which may be 0. */
export function heldBy(draft: Draft, token: TokenDraft, holder: Address, { blockNumber, directory }: At) {
  const type = holderType(holder, token, knownAt(directory, holder, token.launchpad, blockNumber))
  const row = draftBalance(draft, token.address, holder, { type, blockNumber })
  if (holder === token.creator) row.classes |= CLASS_BITS.creator
  return row
}

function holderType(holder: Address, token: TokenRow, source: LogSource | undefined): HolderType {
  if (BURN_ADDRESSES.has(holder)) return 'burn'
  // A token with vesting holds the amount that has not vested yet.
  if (holder === token.address && token.vestingClaimed !== null) return 'locker'
  switch (source?.role) {
    case 'sharedCurve':
      return 'curve'
    case 'contract':
    case 'locker':
    case 'position':
      return 'locker'
    case 'poolManager':
      return 'pool'
    case 'tokenCurve':
    case 'quotePool':
    case 'pool':
      return source.pool.type === 'curve' ? 'curve' : 'pool'
    case 'module':
    case 'token':
      return 'contract'
    case undefined:
      return holder === token.creator ? 'creator' : 'wallet'
  }
}

const USD_UNITS = powerOfTen(18)

/** @param row the holder's balance before the transfer */
function noteTransfer(draft: Draft, at: Moment, row: Mutable<BalanceRow>, delta: bigint): MovedAccount {
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

/*
 * The classes of accounts that got a token early (decision 0072). Each class follows from an event and the rows that the event changes in
 * any case, so that the cost of a batch depends on its events alone, however many accounts a creator has sent tokens to.
 */

/** @param row the maker's balance */
export function noteEarlyTrade(draft: Draft, token: TokenDraft, trade: TradeRow, row: Mutable<BalanceRow>): void {
  const { maker, side, timestamp, blockNumber } = trade
  if (maker === token.creator || !hasEarlyClasses(token)) return
  token.openedAt ??= timestamp
  if (side === 'sell') return
  if (isSnipe(timestamp, token.openedAt)) row.classes |= CLASS_BITS.sniper
  if (!isAtLaunch(timestamp, token.createdAt)) return
  let block = draft.launchBlocks.get(token.address)
  if (block?.blockNumber !== blockNumber) draft.launchBlocks.set(token.address, (block = { blockNumber, buyers: new Map() }))
  block.buyers.set(maker, row)
  if (block.buyers.size < BUNDLE_MAKERS) return
  const bundlers = block.buyers.size === BUNDLE_MAKERS ? block.buyers.values() : [row]
  for (const bundler of bundlers) bundler.classes |= CLASS_BITS.bundler
}

/** Follows tokens of the creator and of insiders through the accounts of a transaction that pass them on. */
function followInside({ row, isFromInside }: MovedAccount, to: MovedAccount): void {
  const isInside = isFromInside || row.type === 'creator' || (row.type === 'wallet' && (row.classes & CLASS_BITS.insider) !== 0)
  if (isInside && to.row.type === 'wallet') to.isFromInside = true
}

/**
 * Marks an account that has received tokens from inside. To be called before its trades of the transaction are booked.
 *
 * @param received the amount that the account has received in the transaction besides its trades, less the amount that it has sent
 */
function markInsider({ row, isFromInside }: MovedAccount, received: bigint): void {
  if (isFromInside && received > 0n && row.buys === 0) row.classes |= CLASS_BITS.insider
}

/**
 * Adds the batch's changes of each class's holdings to the tokens' rows. All costs must be booked.
 *
 * @returns the changes of the other sums
 */
export function sumEarlyClasses(draft: Draft): readonly EarlyClassRow[] {
  return [...draft.balances].flatMap(([address, ofToken]) => {
    const token = draft.tokens.get(address)
    if (token === undefined || !hasEarlyClasses(token)) return []
    const stored = draft.rows.balances.get(address)
    const sums = new Map<EarlyClass, Sums>()
    for (const row of ofToken.values()) {
      if (row.classes === 0) continue
      addTo(sums, row, 1)
      addTo(sums, stored?.get(row.holder), -1)
    }
    return [...sums].flatMap(([name, { wallets, heldToken, boughtToken, soldToken }]): readonly EarlyClassRow[] => {
      const field = HELD_FIELDS[name]
      token[field] = (token[field] ?? 0n) + heldToken
      if (wallets === 0 && boughtToken === 0n && soldToken === 0n) return []
      return [{ token: address, class: name, wallets, boughtToken, soldToken }]
    })
  })
}

interface Sums {
  wallets: number
  heldToken: bigint
  boughtToken: bigint
  soldToken: bigint
}

function addTo(sums: Map<EarlyClass, Sums>, row: BalanceRow | undefined, sign: 1 | -1): void {
  if (row === undefined) return
  for (const name of EARLY_CLASSES) {
    if ((row.classes & CLASS_BITS[name]) === 0) continue
    const sum = getOrInsert(sums, name, () => ({ wallets: 0, heldToken: 0n, boughtToken: 0n, soldToken: 0n }))
    const times = BigInt(sign)
    sum.wallets += sign
    if (row.balance > 0n) sum.heldToken += times * row.balance
    sum.boughtToken += times * row.boughtToken
    sum.soldToken += times * row.soldToken
  }
}

/** `false` for a token that an earlier version of this software has indexed, since its first transfers are not stored. */
function hasEarlyClasses({ creatorHeld }: TokenDraft): boolean {
  return creatorHeld !== null
}

/**
 * Applies an event of the fees that a creator has earned, claimed or handed over.
 *
 * @param token `null`: the fees are of all of the creator's tokens
 */
export function applyCreatorFee(draft: Draft, token: TokenDraft | null, event: TokenEventOf<'creatorFee'>, weth: Address): void {
  const ofToken = event.scope === 'token' ? event.token : ZERO_ADDRESS
  if (event.onlyVesting === true && (token === null || token.vestingClaimed === null)) return
  const row = draftCreatorFee(draft, event, ofToken)
  if (row === undefined) return
  const before = { ...row }
  row.claimed += event.claimed
  if (event.handover !== undefined) row.accrued = event.handover === 'to' ? null : row.claimed
  else if (row.accrued !== null) {
    row.accrued = event.balance === undefined ? row.accrued + (event.accrued ?? 0n) : row.claimed + event.balance
    // An escrow pays no more than it has received, so a larger claim includes payments from before the creator was known.
    if (row.claimed > row.accrued) row.accrued = row.claimed
  }
  // A new row has no block yet, and is shown even with nothing to claim.
  if (row.lastChangedBlock === 0 || row.accrued !== before.accrued || row.claimed !== before.claimed) {
    row.lastChangedBlock = event.blockNumber
    if (token !== null) token.asOfBlock = event.blockNumber
  }
  if (token !== null && isEther(event.currency, weth)) {
    if (token.feesAccrued !== null) token.feesAccrued += event.accrued ?? 0n
    if (token.feesClaimed !== null) token.feesClaimed += event.claimed
  }
}
