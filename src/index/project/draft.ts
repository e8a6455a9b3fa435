import type { Address, Hex } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { HolderType } from '#domain/holder.ts'
import { getOrInsert } from '#domain/maps.ts'
import { windowFields } from '#domain/windows.ts'
import type { TokenEventOf, TokenEventPosition } from '#launchpads/tokenEvent.ts'
import type { BalanceRow } from '#tables/balance.ts'
import type { CurrentRows, TokenBefore } from '#tables/changes.ts'
import { nullsOf } from '#tables/columns.ts'
import type { CreatorFeeRow } from '#tables/creatorFee.ts'
import type { JoinExitRow } from '#tables/joinExit.ts'
import type { MilestoneRow } from '#tables/milestone.ts'
import type { PoolCreationRow, PoolRow } from '#tables/pool.ts'
import type { PoolTickRow } from '#tables/poolTick.ts'
import { TOKEN, type TokenRow } from '#tables/token.ts'
import type { TradeRow } from '#tables/trade.ts'

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type TokenDraft = Mutable<TokenRow>

/** A price before and after an event. `before` is `null` if there was no price. */
export interface Move {
  readonly before: Decimal | null
  readonly after: Decimal
}

/** A point from which candles are made: a trade, or a move of the market's price without a trade, as by a graduation. */
export interface PricePoint {
  readonly token: Address
  readonly timestamp: number
  /** The move of the price in WETH; `null`: not known. */
  readonly weth: Move | null
  /** The move in the main pool's currency; `null`: that is ether, so that `weth` has the move. */
  readonly quote: Move | null
  readonly usd: Move | null
  readonly ethUsd: Decimal | null
  /** USD for 10^18 smallest units of the main pool's currency, by a peg; `null`: no peg applies. */
  readonly quoteUsd: Decimal | null
  readonly trades: 0 | 1
  readonly volumeToken: bigint
  readonly volumeWei: bigint
  readonly volumeQuote: bigint
}

/** The transfers and trades of one token in one transaction, by account. */
export interface Movement {
  readonly blockNumber: number
  readonly txHash: Hex
  readonly accounts: Map<Address, MovedAccount>
}

export interface MovedAccount {
  readonly row: Mutable<BalanceRow>
  /** The balance before the transaction. */
  readonly held: bigint
  /** The amount that transfers have added to the balance. */
  transferred: bigint
  /** Whether a transfer brought tokens that come from the creator or an insider, perhaps through other accounts. */
  isFromInside: boolean
  /** The account's trades, in order. */
  readonly trades: Mutable<TradeRow>[]
}

/** The accounts that bought a token in one of its first blocks, without the creator. */
interface LaunchBlock {
  readonly blockNumber: number
  readonly buyers: Map<Address, Mutable<BalanceRow>>
}

/** The rows that a batch is changing. Each is copied from the current rows when it is first touched: `rows` stays as it is. */
export type Draft = Readonly<ReturnType<typeof openDraft>>

const NONE: ReadonlyMap<Address, BalanceRow> = new Map()

export function openDraft(rows: CurrentRows) {
  return {
    rows,
    tokens: new Map<Address, TokenDraft>(),
    pools: new Map<Hex, Mutable<PoolRow>>(),
    /** By pool, then tick. */
    ticks: new Map<Hex, Map<number, Mutable<PoolTickRow>>>(),
    /** By token, then holder. */
    balances: new Map<Address, Map<Address, Mutable<BalanceRow>>>(),
    creatorFees: new Map<string, Mutable<CreatorFeeRow>>(),
    /** By token, each in order. */
    trades: new Map<Address, Mutable<TradeRow>[]>(),
    /** In order. */
    joinExits: [] as JoinExitRow[],
    /** By pool. */
    poolCreations: new Map<Hex, PoolCreationRow>(),
    /** By token: the newest of its first blocks. */
    launchBlocks: new Map<Address, LaunchBlock>(),
    /** By token: the last transaction, whose costs and profits are not booked yet. */
    movements: new Map<Address, Movement>(),
    /** By kind and log, so that a log that both completes and migrates a token is one graduation. */
    milestones: new Map<string, MilestoneRow>(),
    /** By token, each in order. */
    points: new Map<Address, Mutable<PricePoint>[]>(),
    /** The quote currencies of new pools. */
    currencies: new Set<Address>(),
    /** By token, in order of blocks. */
    tokensBefore: new Map<Address, TokenBefore[]>(),
  }
}

/** The token's row to change; `undefined`: it was never launched. */
export function draftToken(draft: Draft, address: Address): TokenDraft | undefined {
  return drafted(draft.tokens, draft.rows.tokens, address)
}

export function draftPool(draft: Draft, address: Hex): Mutable<PoolRow> | undefined {
  return drafted(draft.pools, draft.rows.pools, address)
}

/** The pool's present row, to read. */
export function currentPool({ pools, rows }: Draft, address: Hex | null): PoolRow | undefined {
  return address === null ? undefined : (pools.get(address) ?? rows.pools.get(address))
}

const NO_TICKS: ReadonlyMap<number, PoolTickRow> = new Map()

/** The tick's row to change; that of a new tick begins at zero. */
export function draftTick({ ticks, rows }: Draft, pool: Hex, tick: number): Mutable<PoolTickRow> {
  const ofPool = getOrInsert(ticks, pool, () => new Map())
  const existing = drafted(ofPool, rows.ticks.get(pool) ?? NO_TICKS, tick)
  if (existing !== undefined) return existing
  const created = { pool, tick, liquidity: 0n }
  ofPool.set(tick, created)
  return created
}

/** The pool's present ticks, to read. */
export function ticksOf({ ticks, rows }: Draft, pool: Hex): readonly PoolTickRow[] {
  const drafts = ticks.get(pool)
  const stored = [...(rows.ticks.get(pool) ?? NO_TICKS).values()]
  return drafts === undefined ? stored : [...stored.filter(({ tick }) => !drafts.has(tick)), ...drafts.values()]
}

const NOTHING_HELD = {
  balance: 0n,
  classes: 0,
  buys: 0,
  sells: 0,
  boughtToken: 0n,
  soldToken: 0n,
  boughtWei: 0n,
  boughtUsd: 0n,
  soldWei: 0n,
  soldUsd: 0n,
  costWei: 0n,
  costUsd: 0n,
  realizedWei: 0n,
  realizedUsd: 0n,
  firstTradeAt: null,
  lastBuyAt: null,
  lastSellAt: null,
}

/** The balance's row to change; that of a new holder begins at zero. */
export function draftBalance(
  draft: Draft,
  token: Address,
  holder: Address,
  { type, blockNumber }: { readonly type: HolderType; readonly blockNumber: number },
): Mutable<BalanceRow> {
  const ofToken = getOrInsert(draft.balances, token, () => new Map())
  const existing = drafted(ofToken, draft.rows.balances.get(token) ?? NONE, holder)
  if (existing !== undefined) {
    existing.type = type
    return existing
  }
  const created = { ...NOTHING_HELD, token, holder, type, lastChangedBlock: blockNumber }
  ofToken.set(holder, created)
  return created
}

/** The row of a creator's fees to change; `undefined`: there is none, and the event does not create one. */
export function draftCreatorFee(draft: Draft, event: TokenEventOf<'creatorFee'>, token: Address): Mutable<CreatorFeeRow> | undefined {
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

function drafted<K, V extends object>(drafts: Map<K, Mutable<V>>, rows: ReadonlyMap<K, V>, key: K): Mutable<V> | undefined {
  const draft = drafts.get(key)
  if (draft !== undefined) return draft
  const row = rows.get(key)
  if (row === undefined) return undefined
  const copy: Mutable<V> = { ...row }
  drafts.set(key, copy)
  return copy
}

export function draftMilestone(
  draft: Draft,
  { token, blockNumber, logIndex }: TokenEventPosition,
  { kind, status }: Pick<MilestoneRow, 'kind' | 'status'>,
): void {
  draft.milestones.set(`${kind} ${blockNumber}-${logIndex}`, { kind, blockNumber, logIndex, token, status })
}

const NOTHING_KNOWN = nullsOf(TOKEN)

/** The row of a token at its launch, before it is minted or traded. */
export function launchedToken(event: TokenEventOf<'launch'>): TokenRow {
  return {
    ...NOTHING_KNOWN,
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
    surface: event.surface ?? null,
    tradeCount: 0,
    holderCount: 0,
    creatorHeld: 0n,
    sniperHeld: 0n,
    bundlerHeld: 0n,
    insiderHeld: 0n,
    ...windowFields('volume', () => 0n),
    ...windowFields('buyVolume', () => 0n),
    ...windowFields('buys', () => 0),
    ...windowFields('sells', () => 0),
    ...windowFields('buyers', () => 0),
    ...windowFields('sellers', () => 0),
    windowsAt: event.timestamp,
    creatorFeeBps: event.creatorFeeBps,
    feesAccrued: event.feesReported.accrued ? 0n : null,
    feesClaimed: event.feesReported.claimed ? 0n : null,
    graduationStatus: event.graduation.status,
    target: event.graduation.target,
    asOfBlock: event.blockNumber,
  }
}
