import type { Address, Hex } from '#domain/address.ts'
import { type CurrentRows, creatorFeeKey } from '#domain/changes.ts'
import type { HolderType } from '#domain/holder.ts'
import type { BalanceState, CreatorFeeState, PoolState, TokenState } from '#domain/tokenState.ts'
import { EMPTY_TOTALS, perWindow } from '#domain/windows.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { PricedTrade } from './candles.ts'

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The rows under change. Each is copied from the current rows when it is first touched, so that the input stays as it was. */
export interface Draft {
  readonly rows: CurrentRows
  readonly tokens: Map<Address, Mutable<TokenState>>
  readonly pools: Map<Hex, Mutable<PoolState>>
  /** By token, then holder. */
  readonly balances: Map<Address, Map<Address, Mutable<BalanceState>>>
  readonly creatorFees: Map<string, Mutable<CreatorFeeState>>
  /** By token, each in order. */
  readonly trades: Map<Address, PricedTrade[]>
}

const NONE: ReadonlyMap<Address, BalanceState> = new Map()

export function openDraft(rows: CurrentRows): Draft {
  return { rows, tokens: new Map(), pools: new Map(), balances: new Map(), creatorFees: new Map(), trades: new Map() }
}

/** The token's row for changing, or `undefined` when it was never launched. */
export function draftToken(draft: Draft, address: Address): Mutable<TokenState> | undefined {
  return drafted(draft.tokens, draft.rows.tokens, address)
}

export function draftPool(draft: Draft, address: Hex): Mutable<PoolState> | undefined {
  return drafted(draft.pools, draft.rows.pools, address)
}

/** The balance's row for changing; a holder that has none begins at zero. */
export function draftBalance(draft: Draft, token: Address, holder: Address, type: HolderType): Mutable<BalanceState> {
  let ofToken = draft.balances.get(token)
  if (ofToken === undefined) draft.balances.set(token, (ofToken = new Map()))
  const existing = drafted(ofToken, draft.rows.balances.get(token) ?? NONE, holder)
  if (existing !== undefined) {
    existing.type = type
    return existing
  }
  const created = { token, holder, balance: 0n, type, lastChangedBlock: 0 }
  ofToken.set(holder, created)
  return created
}

/** The row for changing; `undefined` where there is none and the event begins none. */
export function draftCreatorFee(draft: Draft, event: TokenEventOf<'creatorFee'>, token: Address): Mutable<CreatorFeeState> | undefined {
  const { launchpad, creator, currency, scope } = event
  const key = creatorFeeKey({ launchpad, creator, currency, token })
  const existing = drafted(draft.creatorFees, draft.rows.creatorFees, key)
  if (existing !== undefined || event.onlyKnown === true) return existing
  const created = {
    launchpad,
    creator,
    currency,
    scope,
    token,
    accrued: event.accrued === null ? null : 0n,
    claimed: 0n,
    claimId: event.claimId ?? null,
    lastChangedBlock: 0,
  }
  draft.creatorFees.set(key, created)
  return created
}

/** The row of a token that a launch announces: nothing minted, nothing traded. */
export function launchedToken(event: TokenEventOf<'launch'>): TokenState {
  return {
    address: event.token,
    launchpad: event.launchpad,
    symbol: event.symbol,
    name: event.name,
    decimals: event.decimals,
    totalSupply: event.totalSupply ?? 0n,
    creator: event.creator,
    createdAt: event.timestamp,
    createdBlock: event.blockNumber,
    createdTxHash: event.txHash,
    metadataUri: event.metadataUri,
    mainPool: null,
    priceWeth: null,
    firstPriceWeth: null,
    athPriceWeth: null,
    marketCapWeth: null,
    liquidityWeth: null,
    tradeCount: 0,
    holderCount: 0,
    lastTradeAt: null,
    windows: perWindow(() => EMPTY_TOTALS),
    referencePrice: perWindow(() => null),
    windowsAt: event.timestamp,
    windowsExpireAt: null,
    creatorFeeBps: event.creatorFeeBps,
    feesAccruedWei: event.feesReported.accrued ? 0n : null,
    feesClaimedWei: event.feesReported.claimed ? 0n : null,
    graduationStatus: event.graduation.status,
    graduationPercent: null,
    raisedWei: null,
    targetWei: event.graduation.targetWei,
    completedAt: null,
    migratedAt: null,
    graduatedPool: null,
    graduationTxHash: null,
    asOfBlock: event.blockNumber,
  }
}

function drafted<K, V extends object>(drafts: Map<K, Mutable<V>>, rows: ReadonlyMap<K, V>, key: K): Mutable<V> | undefined {
  const draft = drafts.get(key)
  if (draft !== undefined) return draft
  const row = rows.get(key)
  if (row === undefined) return undefined
  const copy: Mutable<V> = { ...row }
  drafts.set(key, copy)
  return copy
}
