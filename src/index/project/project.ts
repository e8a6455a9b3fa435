import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { add, type Decimal, max, min, multiply, percentOf, units } from '#domain/decimal.ts'
import { getOrInsert } from '#domain/maps.ts'
import { WETH_DECIMALS } from '#domain/prices.ts'
import type { DatedDirectory } from '#launchpads/decodeLogs.ts'
import { isPoolId } from '#launchpads/directory/directory.ts'
import type { PoolReserves, TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { CandleRow } from '#tables/candle.ts'
import type { Changes, CurrentRows, RowKeys, TickRange } from '#tables/changes.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import type { TradeRow } from '#tables/trade.ts'
import { applyCreatorFee, applyTransfer, bookCosts, heldBy, movesNothing, noteEarlyTrade, noteTrade, sumEarlyClasses } from './balances.ts'
import {
  currentPool,
  type Draft,
  draftMilestone,
  draftPool,
  draftToken,
  launchedToken,
  type Move,
  type Mutable,
  openDraft,
  type PricePoint,
  type TokenDraft,
} from './draft.ts'
import {
  applyJoinExit,
  applyPoolChange,
  applyQuotePool,
  applyTrade,
  emptyCurve,
  movePrice,
  newPool,
  noteCreation,
  pricesBefore,
  updateDerivedValues,
} from './market.ts'
import { revalue, type Valuation, valueMarket } from './values.ts'

export interface ProjectInput extends Valuation {
  /** In order of effect (`decodeLogs`). */
  readonly events: readonly TokenEvent[]
  readonly rows: CurrentRows
  /** Unix seconds of the batch's last block, at which the windows end. */
  readonly now: number
  /** Tokens whose quote currency's rate has moved since they were valued. Default: none. */
  readonly outdated?: readonly Address[]
  /** Tells pools, curves and lockers from wallets. */
  readonly directory: DatedDirectory
}

/** Applies events to rows. Pure; the same events over the same rows give the same rows, in one call or in many. */
export function project(input: ProjectInput): Changes {
  const draft = openDraft(input.rows)
  let repeated: TokenEvent | null = null
  for (const event of input.events) {
    // A token is launched once: all events of a second launch's log, which are consecutive, are ignored.
    if (event.kind === 'launch' && draftToken(draft, event.token) !== undefined) repeated = event
    if (repeated === null || !isOfSameLog(event, repeated)) apply(draft, event, input)
  }
  for (const address of input.outdated ?? []) {
    const token = draftToken(draft, address)
    if (token !== undefined) revalue(draft, token, input)
  }
  // Tokens without an event are among the rows because a trade has left one of their windows.
  for (const token of input.rows.tokens.values()) {
    if (token.windowsExpireAt !== null && token.windowsExpireAt <= input.now) draftToken(draft, token.address)
  }
  for (const token of draft.tokens.values()) updateDerivedValues(draft, token, input.now)
  bookCosts(draft)
  const earlyClasses = sumEarlyClasses(draft)
  const trades: TradeRow[] = []
  const candles: CandleRow[] = []
  for (const ofToken of draft.trades.values()) {
    for (const trade of ofToken) trades.push(trade)
  }
  for (const ofToken of draft.points.values()) {
    for (const candle of foldCandles(ofToken)) candles.push(candle)
  }
  return {
    tokens: [...draft.tokens.values()].filter(token => hasChanged(input.rows.tokens.get(token.address), token)),
    pools: [...draft.pools.values()],
    ticks: [...draft.ticks.values()].flatMap(ofPool => [...ofPool.values()]),
    balances: [...draft.balances.values()].flatMap(ofToken => [...ofToken.values()]),
    creatorFees: [...draft.creatorFees.values()],
    trades,
    joinExits: draft.joinExits,
    poolCreations: [...draft.poolCreations.values()],
    milestones: [...draft.milestones.values()],
    earlyClasses,
    candles,
    currencies: [...draft.currencies],
    tokensBefore: draft.tokensBefore,
  }
}

function isOfSameLog(event: TokenEvent, other: TokenEvent): boolean {
  return event.token === other.token && event.blockNumber === other.blockNumber && event.logIndex === other.logIndex
}

function apply(draft: Draft, event: TokenEvent, input: ProjectInput): void {
  const { blockNumber, timestamp } = event
  if (event.kind === 'launch') {
    draft.tokens.set(event.token, launchedToken(event))
    draft.tokensBefore.set(event.token, [{ blockNumber, timestamp, row: null }])
    draftMilestone(draft, event, { kind: 'launch', status: null })
    return
  }
  // Fees of all of a creator's tokens belong to no single token.
  if (event.kind === 'creatorFee' && event.scope === 'creator') return applyCreatorFee(draft, null, event, input.weth)
  if (event.kind === 'poolChanged') {
    const source = input.directory.lookup(event.pool)
    if (source?.role === 'quotePool') return applyQuotePool(draft, source, event)
  }
  const token = draftToken(draft, event.token)
  // Events of an address before its launch as a token are not indexed.
  if (token === undefined) return
  const before = token.asOfBlock === blockNumber ? null : shownState(draft, token)
  const blocks = getOrInsert(draft.tokensBefore, token.address, () => [])
  if (blocks.at(-1)?.blockNumber !== blockNumber) blocks.push({ blockNumber, timestamp, row: before?.token ?? { ...token } })
  applyToToken(draft, token, event, input)
  if (before !== null && hasShownChange(before, draft, token)) token.asOfBlock = blockNumber
}

function applyToToken(draft: Draft, token: TokenDraft, event: Exclude<TokenEvent, { kind: 'launch' }>, input: ProjectInput): void {
  switch (event.kind) {
    case 'poolCreated':
      return applyPoolCreated(draft, token, event, input)
    case 'poolChanged':
      return applyPoolChange(draft, token, event, input)
    case 'trade': {
      const trade = applyTrade(draft, token, event, input)
      const held = heldBy(draft, token, trade.maker, { blockNumber: trade.blockNumber, directory: input.directory })
      noteEarlyTrade(draft, token, trade, held)
      return noteTrade(draft, trade, held)
    }
    case 'joinExit':
      return applyJoinExit(draft, token, event)
    case 'transfer':
      return applyTransfer(draft, token, event, input.directory)
    case 'curveProgress':
      // A completed curve stays complete, even if the graduation empties it, or tokens can still be sold to it.
      if (token.completedAt !== null) return
      token.raised = (event.raised.mode === 'set' ? 0n : (token.raised ?? 0n)) + event.raised.quote
      if (event.targetSupply !== undefined) token.graduationPercent = percentOf(token.totalSupply, event.targetSupply)
      else token.graduationPercent = token.target === null ? null : percentOf(token.raised, token.target)
      return
    case 'creatorShare':
      if (token.feesAccrued !== null) token.feesAccrued += event.accruedWei
      return
    case 'completed':
      // A token completes once: a later event must not undo its graduation.
      if (token.completedAt !== null) return
      token.graduationStatus = 'completed'
      token.graduationPercent = 100
      token.raised = event.raised ?? token.raised
      token.completedAt = event.timestamp
      draftMilestone(draft, event, { kind: 'graduation', status: 'completed' })
      return
    case 'updated':
      Object.assign(token, event.fields)
      return
    case 'marketMoved':
      return moveMarket(draft, token, event, input)
    case 'migrated':
      return applyMigration(draft, token, event, input)
    case 'creatorFee':
      return applyCreatorFee(draft, token, event, input.weth)
    default:
      return event satisfies never
  }
}

function applyPoolCreated(draft: Draft, token: TokenDraft, event: TokenEventOf<'poolCreated'>, input: ProjectInput): void {
  const { pool, main } = event
  const known = input.directory.lookup(pool.address)
  // The address is known as something else: two tokens in one pool row would overwrite each other's numbers.
  if (known !== undefined && !('token' in known && known.token === event.token)) return
  if (draftPool(draft, pool.address) === undefined) {
    draft.currencies.add(pool.quoteToken)
    const row = newPool(pool, event.token, token.launchpad, event.blockNumber)
    const { token: reserveToken, quote: reserveQuote } = event.reserves ?? UNKNOWN_RESERVES
    draft.pools.set(pool.address, { ...row, reserveToken, reserveQuote })
    noteCreation(draft, pool.address, event)
  }
  // A second announcement of a main pool does not move the token's market.
  if (main) token.mainPool ??= pool.address
  if (token.mainPool === pool.address) valueMarket(draft, token, input)
}

const UNKNOWN_RESERVES: PoolReserves = { token: null, quote: null }

function applyMigration(draft: Draft, token: TokenDraft, event: TokenEventOf<'migrated'>, valuation: Valuation): void {
  // A token migrates once. Later, only its market may move to another pool.
  if (token.migratedAt !== null) return moveMarket(draft, token, event, valuation)
  const curve = token.mainPool === null ? undefined : draftPool(draft, token.mainPool)
  if (curve?.type === 'curve') emptyCurve(draft, token, curve, event)
  token.graduationStatus = 'migrated'
  token.graduationPercent = 100
  token.completedAt ??= event.timestamp
  token.migratedAt = event.timestamp
  token.graduatedPool = event.pool
  token.graduationTxHash = event.txHash
  draftMilestone(draft, event, { kind: 'graduation', status: 'migrated' })
  moveMarket(draft, token, event, valuation)
  if (token.mainPool !== event.pool) return
  const opening = currentPool(draft, event.pool)?.price ?? null
  token.graduatedPriceWeth = opening === null ? null : token.eventPriceWeth
}

/** Makes another of the token's pools its main pool. The token keeps its price until that pool has one. */
function moveMarket(
  draft: Draft,
  token: TokenDraft,
  { pool: address, timestamp }: TokenEventOf<'marketMoved' | 'migrated'>,
  valuation: Valuation,
): void {
  const pool = currentPool(draft, address)
  if (pool?.token !== token.address) return
  const before = pricesBefore(token)
  // A price in one currency says nothing about the price in another.
  if (currentPool(draft, token.mainPool)?.quoteToken !== pool.quoteToken) token.priceQuote = null
  token.mainPool = address
  movePrice(draft, token, { ...before, quote: token.priceQuote }, timestamp, valuation)
}

/** The keys of the rows that `project` needs for these events and outdated tokens. @param dollars as in `Valuation` */
export function rowKeysOf(events: readonly TokenEvent[], outdated: readonly Address[], dollars: readonly Address[]): RowKeys {
  const tokens = new Set<Address>(outdated)
  const currencies = new Set(events.length === 0 ? [] : dollars)
  const holders = new Map<Address, Set<Address>>()
  const creatorFees = new Map<string, RowKeys['creatorFees'][number]>()
  const ticks = new Map<string, RowKeys['ticks'][number]>()
  for (const event of events) {
    if (event.kind === 'transfer' && movesNothing(event)) continue
    const { token } = event
    tokens.add(token)
    if (event.kind === 'poolCreated') currencies.add(event.pool.quoteToken)
    if (event.kind === 'poolChanged') for (const range of ticksOfChange(event)) addTicks(ticks, range)
    if (event.kind === 'transfer') {
      getOrInsert(holders, token, () => new Set())
        .add(event.from)
        .add(event.to)
    } else if (event.kind === 'trade') {
      getOrInsert(holders, token, () => new Set()).add(event.maker)
    } else if (event.kind === 'creatorFee') {
      const { launchpad, creator, currency, scope } = event
      const key = { launchpad, creator, currency, token: scope === 'token' ? token : ZERO_ADDRESS }
      creatorFees.set(creatorFeeKey(key), key)
    }
  }
  return {
    tokens: [...tokens],
    currencies: [...currencies],
    ticks: [...ticks.values()],
    balances: [...holders].flatMap(([token, ofToken]) => [...ofToken].map(holder => ({ token, holder }))),
    creatorFees: [...creatorFees.values()],
  }
}

function ticksOfChange({ pool, concentrated, liquidityChange }: TokenEventOf<'poolChanged'>): readonly TickRange[] {
  // Only Uniswap v4 pools are known by an id.
  if (!isPoolId(pool)) return []
  const bounds = liquidityChange === null ? [] : [liquidityChange.tickLower, liquidityChange.tickUpper]
  return [
    ...bounds.map(tick => ({ pool, from: tick, to: tick, isPrice: false })),
    ...(concentrated === null ? [] : [{ pool, from: concentrated.tick, to: concentrated.tick, isPrice: true }]),
  ]
}

/** Adds a range. All prices of a pool are merged into one range. */
function addTicks(ranges: Map<string, TickRange>, range: TickRange): void {
  const key = range.isPrice ? range.pool : `${range.pool} ${range.from}`
  const { from, to } = ranges.get(key) ?? range
  ranges.set(key, { ...range, from: Math.min(from, range.from), to: Math.max(to, range.to) })
}

/** Folds a token's price points, in order, into candles of every stored interval. */
export function foldCandles(points: readonly PricePoint[]): readonly CandleRow[] {
  const singles = points.map(candleOf)
  return STORED_INTERVALS.flatMap(interval => {
    const intervalSeconds = CANDLE_INTERVALS[interval]
    const candles = new Map<number, Mutable<CandleRow>>()
    let candle: Mutable<CandleRow> | undefined
    for (const single of singles) {
      const time = single.time - (single.time % intervalSeconds)
      if (candle?.time !== time) candle = candles.get(time)
      if (candle === undefined) candles.set(time, (candle = { ...single, time, intervalSeconds }))
      else extend(candle, single)
    }
    return [...candles.values()]
  })
}

/** The candle of one point, which has no interval yet. */
function candleOf(point: PricePoint): CandleRow {
  const { token, timestamp, weth, quote, usd, trades, volumeToken, volumeWei, volumeQuote } = point
  return {
    time: timestamp,
    token,
    intervalSeconds: 0,
    open: openOf(weth),
    high: highOf(weth),
    low: lowOf(weth),
    close: weth?.after ?? null,
    volumeWei: weth === null ? null : volumeWei,
    trades,
    volumeToken,
    openQuote: openOf(quote),
    highQuote: highOf(quote),
    lowQuote: lowOf(quote),
    closeQuote: quote?.after ?? null,
    volumeQuote: quote === null ? null : volumeQuote,
    openUsd: openOf(usd),
    highUsd: highOf(usd),
    lowUsd: lowOf(usd),
    closeUsd: usd?.after ?? null,
    volumeUsd: volumeInUsd(point),
    tradesUsd: usd === null ? 0 : trades,
  }
}

function volumeInUsd({ weth, ethUsd, quoteUsd, volumeWei, volumeQuote }: PricePoint): Decimal | null {
  if (quoteUsd !== null) return multiply(units(volumeQuote, WETH_DECIMALS), quoteUsd)
  return ethUsd === null || weth === null ? null : multiply(units(volumeWei, WETH_DECIMALS), ethUsd)
}

function openOf(move: Move | null): Decimal | null {
  return move === null ? null : (move.before ?? move.after)
}

function highOf(move: Move | null): Decimal | null {
  return move === null ? null : max(move.before ?? move.after, move.after)
}

function lowOf(move: Move | null): Decimal | null {
  return move === null ? null : min(move.before ?? move.after, move.after)
}

/** Merges a candle into an earlier one, just as a commit merges it into a stored one (`tables/candle.ts`). */
function extend(candle: Mutable<CandleRow>, next: CandleRow): void {
  candle.trades += next.trades
  candle.volumeToken = known(sum, candle.volumeToken, next.volumeToken)
  if (next.close !== null) {
    candle.open ??= next.open
    candle.high = known(max, candle.high, next.high)
    candle.low = known(min, candle.low, next.low)
    candle.close = next.close
    candle.volumeWei = known(sum, candle.volumeWei, next.volumeWei)
  }
  if (next.closeQuote !== null) {
    candle.openQuote ??= next.openQuote
    candle.highQuote = known(max, candle.highQuote, next.highQuote)
    candle.lowQuote = known(min, candle.lowQuote, next.lowQuote)
    candle.closeQuote = next.closeQuote
    candle.volumeQuote = known(sum, candle.volumeQuote, next.volumeQuote)
  }
  if (next.closeUsd === null) return
  candle.openUsd ??= next.openUsd
  candle.highUsd = known(max, candle.highUsd, next.highUsd)
  candle.lowUsd = known(min, candle.lowUsd, next.lowUsd)
  candle.closeUsd = next.closeUsd
  candle.volumeUsd = known(add, candle.volumeUsd, next.volumeUsd)
  candle.tradesUsd += next.tradesUsd
}

function sum(a: bigint, b: bigint): bigint {
  return a + b
}

/** Combines two values by `of` if both are known, else returns the known one. */
function known<Value>(of: (a: Value, b: Value) => Value, a: Value | null, b: Value | null): Value | null {
  return a === null || b === null ? (a ?? b) : of(a, b)
}

/*
 * A token's `asOfBlock` is the last block that changed a value that the API shows of it: its row, its main pool, a balance, a creator's
 * fees. Anyone can cause events that change nothing, such as transfers of zero, or a pool's report of the same reserves.
 */

/** Copies of a token's row and of its main pool's row before an event. */
export interface ShownState {
  readonly token: TokenRow
  readonly pool: PoolRow | undefined
}

function shownState(draft: Draft, token: TokenDraft): ShownState {
  const pool = currentPool(draft, token.mainPool)
  return { token: { ...token }, pool: pool === undefined ? undefined : { ...pool } }
}

function hasShownChange(before: ShownState, draft: Draft, token: TokenDraft): boolean {
  return differ(before.token, token) || differ(before.pool, currentPool(draft, token.mainPool))
}

function hasChanged(stored: TokenRow | undefined, token: TokenRow): boolean {
  return stored?.asOfBlock !== token.asOfBlock || differ(stored, token)
}

/** Columns that change without a change of a shown value. */
const HIDDEN: ReadonlySet<string> = new Set<keyof TokenRow | keyof PoolRow>(['asOfBlock', 'windowsAt', 'lastChangedBlock'])

function differ<Row extends object>(a: Row | undefined, b: Row | undefined): boolean {
  if (a === undefined || b === undefined) return a !== b
  for (const column in a) {
    if (a[column] !== b[column] && !HIDDEN.has(column)) return true
  }
  return false
}
