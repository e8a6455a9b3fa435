import fc from 'fast-check'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { type Decimal, multiply, ONE, ratio, units } from '#domain/decimal.ts'
import { project } from '#index/project/project.ts'
import type { Valuation } from '#index/project/values.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import type { EventPosition, TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { CandleRow } from '#tables/candle.ts'
import type { Changes, CurrentRows } from '#tables/changes.ts'
import { type MemoryRows, memoryRows } from '#test/support/memoryRows.ts'

const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as Address
const WETH = address(0xeee)
const DOLLAR = address(0xddd)
/** Of dollars, against WETH. */
export const DOLLAR_POOL = address(0xdd1)
export const VALUATION: Valuation = {
  weth: WETH,
  quotePools: new Map([[DOLLAR, [DOLLAR_POOL]]]),
  etherWrappers: new Set(),
  pegs: new Map([[DOLLAR, ONE]]),
  dollars: [DOLLAR],
  providedEthUsd: units(1n, 0),
}
export const lookup = (key: Hex): LogSource | undefined =>
  key === DOLLAR_POOL
    ? { role: 'quotePool', launchpad: 'dollars', token: DOLLAR, pool: { ...facts(DOLLAR_POOL, 'uniswap-v3', DOLLAR), quoteToken: WETH } }
    : undefined
export const CREATOR = address(0xc0)
export const TOKENS = [address(1), address(2)]
const WALLETS = [address(0x10), address(0x11), address(0x12)]
const DEAD = '0x000000000000000000000000000000000000dead' as Address
export const curveOf = (token: Address) => address(0x1000 + Number(BigInt(token)))
export const poolOf = (token: Address) => address(0x2000 + Number(BigInt(token)))
/** Candles of every interval begin then. */
export const GENESIS_TIME = 1_795_046_400

export interface Block {
  readonly number: number
  readonly timestamp: number
  readonly events: readonly TokenEvent[]
}

/** What one random step means; positions are filled in when blocks are built. */
export type Step = {
  readonly token: number
  readonly gap: number
  readonly wallet: number
  readonly other: number
  readonly amount: bigint
  readonly wei: bigint
  readonly kind: number
}

export const step: fc.Arbitrary<Step> = fc.record({
  token: fc.integer({ min: 0, max: 1 }),
  gap: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.constantFrom(299, 301, 3_601, 90_000)),
  wallet: fc.integer({ min: 0, max: 2 }),
  other: fc.nat({ max: 7 }),
  amount: fc.bigInt({ min: 0n, max: 10n ** 24n }),
  wei: fc.bigInt({ min: 0n, max: 10n ** 19n }),
  kind: fc.integer({ min: 0, max: 12 }),
})

export function buildChain(steps: readonly Step[]): readonly Block[] {
  const blocks: Block[] = []
  let timestamp = GENESIS_TIME
  let number = 100
  let logIndex = 0
  const migrated = new Set<Address>()
  const at = () => ({
    blockNumber: number,
    blockHash: `0x${number}` as Hex,
    timestamp,
    txHash: `0x${number}` as Hex,
    txIndex: 0,
    logIndex: logIndex++,
  })
  const launches = TOKENS.flatMap((token): TokenEvent[] => [
    {
      ...at(),
      kind: 'launch',
      token,
      launchpad: 'test',
      creator: CREATOR,
      symbol: 'T',
      name: 'Token',
      decimals: 18,
      metadataUri: null,
      creatorFeeBps: 50,
      feesReported: { accrued: true, claimed: true },
      graduation: { status: 'bonding', target: 10n ** 20n },
    },
    { ...at(), kind: 'poolCreated', token, main: true, pool: facts(curveOf(token), 'curve', token) },
    {
      ...at(),
      kind: 'poolChanged',
      token,
      pool: curveOf(token),
      ...price(10n ** 18n, 10n ** 27n),
      reserves: { mode: 'set', token: 10n ** 27n, quote: 0n },
    },
    { ...at(), kind: 'transfer', token, from: ZERO_ADDRESS, to: curveOf(token), amount: 10n ** 27n },
  ])
  blocks.push({ number, timestamp, events: launches })
  let events: TokenEvent[] = []
  for (const { token: index, gap, wallet, other, amount, wei, kind } of steps) {
    if (gap !== 0 && events.length > 0) blocks.push({ number, timestamp, events })
    if (gap !== 0) {
      events = []
      number += 1
      timestamp += gap
      logIndex = 0
    }
    const token = TOKENS[index] as Address
    const maker = WALLETS[wallet] as Address
    const venue = migrated.has(token) ? poolOf(token) : curveOf(token)
    if (kind < 5) {
      const buy = kind < 3
      events.push(
        { ...at(), kind: 'transfer', token, from: buy ? venue : maker, to: buy ? maker : venue, amount },
        {
          ...at(),
          kind: 'poolChanged',
          token,
          pool: venue,
          ...price(wei + 1n, amount + 1n),
          reserves: { mode: 'move', token: buy ? -amount : amount, quote: buy ? wei : -wei },
        },
        {
          ...at(),
          kind: 'trade',
          token,
          pool: venue,
          phase: migrated.has(token) ? 'pool' : 'curve',
          side: buy ? 'buy' : 'sell',
          maker,
          amountToken: amount,
          amountQuote: wei,
          feeQuote: wei / 100n,
        },
        {
          ...at(),
          kind: 'creatorFee',
          token,
          launchpad: 'test',
          creator: CREATOR,
          currency: WETH,
          scope: 'token',
          accrued: wei / 200n,
          claimed: 0n,
        },
      )
    } else if (kind < 8) {
      const to = [...WALLETS, DEAD][other % 4] as Address
      events.push({ ...at(), kind: 'transfer', token, from: maker, to, amount })
    } else if (kind === 8) {
      events.push({
        ...at(),
        kind: 'creatorFee',
        token,
        launchpad: 'test',
        creator: CREATOR,
        currency: WETH,
        scope: 'token',
        accrued: 0n,
        claimed: wei / 400n,
      })
    } else if (kind === 11) {
      const liquidity = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: amount }
      events.push({
        ...at(),
        kind: 'poolChanged',
        token: DOLLAR,
        pool: DOLLAR_POOL,
        ...price(wei + 1n, amount + 1n),
        concentrated: liquidity,
      })
    } else if (kind === 10) {
      events.push({ ...at(), kind: 'poolChanged', token, pool: venue, ...price(wei + 1n, amount + 1n) })
    } else if (kind === 12) {
      events.push({ ...at(), ...(idleEvents(token, venue, maker)[other] as IdleEvent) })
    } else if (!migrated.has(token)) {
      migrated.add(token)
      events.push(
        { ...at(), kind: 'completed', token, raised: wei },
        { ...at(), kind: 'poolCreated', token, main: false, pool: facts(poolOf(token), 'uniswap-v3', token) },
        {
          ...at(),
          kind: 'poolChanged',
          token,
          pool: poolOf(token),
          ...price(wei + 1n, amount + 1n),
          reserves: { mode: 'set', token: 0n, quote: 0n },
        },
        { ...at(), kind: 'migrated', token, pool: poolOf(token) },
      )
    }
  }
  if (events.length > 0) blocks.push({ number, timestamp, events })
  return blocks
}

type IdleEvent = { [K in TokenEvent['kind']]: Omit<TokenEventOf<K>, keyof EventPosition> }[TokenEvent['kind']]

/** Events that leave everything as it was, each as anyone may cause it. */
function idleEvents(token: Address, pool: Address, wallet: Address): readonly IdleEvent[] {
  const account = { launchpad: 'test', creator: CREATOR, currency: WETH, scope: 'token' } as const
  return [
    { kind: 'transfer', token, from: wallet, to: DEAD, amount: 0n },
    { kind: 'transfer', token, from: wallet, to: wallet, amount: 5n },
    { kind: 'poolChanged', token, pool, ...price(1n, 1n), price: null, reserves: { mode: 'move', token: 0n, quote: 0n } },
    { kind: 'creatorFee', token, ...account, accrued: 0n, claimed: 0n, onlyKnown: true },
    { kind: 'updated', token, fields: { name: 'Token', symbol: 'T', metadataUri: null } },
    { kind: 'creatorShare', token, accruedWei: 0n },
    { kind: 'curveProgress', token, raised: { mode: 'move', quote: 0n } },
  ]
}

export function facts(pool: Address, type: 'curve' | 'uniswap-v3', token: Address) {
  return { address: pool, type, quoteToken: token === TOKENS[0] ? WETH : DOLLAR, tokenIsToken0: token < DOLLAR, feeBps: 100 }
}

export function price(wei: bigint, amount: bigint) {
  return { reserves: null, price: ratio(wei, amount), concentrated: null, liquidityChange: null }
}

export function index(
  blocks: readonly Block[],
  cuts: readonly boolean[],
  beforeWrite: (changes: Changes, before: CurrentRows, rows: MemoryRows) => void = () => undefined,
): MemoryRows {
  const rows = memoryRows()
  let batch: Block[] = []
  for (const [position, block] of blocks.entries()) {
    batch.push(block)
    if (cuts[position % cuts.length] === false && position < blocks.length - 1) continue
    // A block is committed whole: the first steps may be of the block of the launches.
    if (blocks[position + 1]?.number === block.number) continue
    const now = block.timestamp
    const events = batch.flatMap(entry => entry.events)
    const before = rows.load(now)
    const changes = project({
      events,
      rows: before,
      now,
      ...VALUATION,
      directory: { lookup },
    })
    beforeWrite(changes, before, rows)
    rows.write(changes)
    batch = []
  }
  return rows
}

export const back = (one: Step): Step => ({ ...one, gap: -one.gap })

export const chain = fc.array(step, { maxLength: 60 }).map(buildChain)

interface Prices {
  readonly quote: Decimal
  readonly weth: Decimal | null
}

interface MoveOfPrice {
  readonly timestamp: number
  readonly before: Decimal
  readonly after: Decimal
  readonly wei: bigint
  readonly tokens: bigint
  readonly isTrade: boolean
}

/**
 * The trades of a token and what else moved one of its prices, read from the events alone, with its price in the quote currency, and what
 * that currency was worth at the market's last event.
 */
export function followMarket(
  token: Address,
  blocks: readonly Block[],
): { readonly moves: readonly MoveOfPrice[]; readonly rate: Decimal | null } {
  const moves: MoveOfPrice[] = []
  const prices = new Map<Hex, Decimal>()
  const hasMoved = (before: Decimal | null, after: Decimal | null) => before !== null && after !== null && before !== after
  let venue: Hex = curveOf(token)
  let [rate, valued]: (Decimal | null)[] = [null, null]
  let now: Prices | null = null
  for (const event of blocks.flatMap(block => block.events)) {
    if (event.kind === 'poolChanged' && event.pool === DOLLAR_POOL) rate = event.price
    if (event.token !== token) continue
    if (event.kind === 'migrated') venue = event.pool
    if (event.kind === 'poolChanged' && event.price !== null) prices.set(event.pool, event.price)
    const isTrade = event.kind === 'trade'
    if (event.kind !== 'migrated' && !((event.kind === 'poolChanged' || isTrade) && event.pool === venue)) continue
    valued = rate ?? null
    const before: Prices | null = now
    const quote = prices.get(venue)
    if (quote === undefined) continue
    now = { quote, weth: token === TOKENS[0] ? quote : valued === null ? null : multiply(quote, valued) }
    if (before === null || !(isTrade || hasMoved(before.quote, quote) || hasMoved(before.weth, now.weth))) continue
    const [wei, tokens] = isTrade ? [event.amountQuote, event.amountToken] : [0n, 0n]
    moves.push({ timestamp: event.timestamp, before: before.quote, after: quote, wei, tokens, isTrade })
  }
  return { moves, rate: valued ?? null }
}

export function candlesOf({ candles }: MemoryRows['tables'], token: Address, seconds: number): readonly CandleRow[] {
  const ofToken = [...candles.values()].filter(row => row.token === token && row.intervalSeconds === seconds)
  return ofToken.toSorted((a, b) => a.time - b.time)
}

/** Price changes and windows are the state at the last block, so a token that nothing touches keeps the time of its last roll. */
export function comparable(rows: MemoryRows) {
  return {
    ...rows.tables,
    tokens: [...rows.tables.tokens.values()].map(({ windowsAt: _, ...token }) => token),
    trades: sorted(rows.tables.trades),
  }
}

/** All that resources show of a token, except when it changed last. */
export function shownOf(token: Address, { tokens, pools, balances, creatorFees, earlyClasses, trades, candles }: MemoryRows['tables']) {
  const isIts = (row: { readonly token: Address }) => row.token === token
  const { asOfBlock: _, windowsAt: __, ...row } = tokens.get(token) ?? {}
  const main = pools.get(tokens.get(token)?.mainPool ?? '')
  return {
    row,
    pool: main === undefined ? undefined : { ...main, lastChangedBlock: null },
    balances: [...balances.values()].filter(isIts),
    earlyClasses: [...earlyClasses.values()].filter(isIts),
    creatorFees: [...creatorFees.values()].filter(isIts).map(fee => ({ ...fee, lastChangedBlock: null })),
    trades: trades.filter(isIts).length,
    candles: [...candles.values()].filter(isIts),
  }
}

export function sorted<T extends { readonly blockNumber: number; readonly logIndex: number }>(trades: readonly T[]): readonly T[] {
  return trades.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}
