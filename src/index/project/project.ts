import type { Address } from '#domain/address.ts'
import { percentOf } from '#domain/decimal.ts'
import { getOrInsert } from '#domain/getOrInsert.ts'
import type { DatedDirectory } from '#launchpads/decodeLogs.ts'
import type { PoolReserves, TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { CandleRow } from '#tables/candle.ts'
import type { Changes, CurrentRows } from '#tables/changes.ts'
import type { TradeRow } from '#tables/trade.ts'
import { applyTransfer, heldBy } from './balances.ts'
import { foldCandles } from './candles.ts'
import { bookCosts, noteTrade } from './costs.ts'
import { applyCreatorFee } from './creatorFees.ts'
import { currentPool, type Draft, draftMilestone, draftPool, draftToken, openDraft, type TokenDraft } from './draft.ts'
import { noteEarlyTrade, sumEarlyClasses } from './earlyWallets.ts'
import { launchedToken } from './launchedToken.ts'
import { applyPoolChange, applyQuotePool, applyTrade, newPool, updateDerivedValues } from './market.ts'
import { applyJoinExit, emptyCurve, noteCreation } from './poolEvents.ts'
import { movePrice, pricesBefore } from './pricePoints.ts'
import { isShownAlike, isUnchanged, shownState } from './shownState.ts'
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
    tokens: [...draft.tokens.values()].filter(token => !isUnchanged(input.rows.tokens.get(token.address), token)),
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
  if (before !== null && !isShownAlike(before, draft, token)) token.asOfBlock = blockNumber
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
