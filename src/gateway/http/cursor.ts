import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import type { HoldingSort } from '#domain/holding.ts'
import type {
  CandleCursor,
  ClaimCursor,
  HolderCursor,
  HoldingCursor,
  Page,
  TokenCursor,
  TokenSort,
  TradeCursor,
  TraderCursor,
} from '#domain/queries.ts'
import { invalidParameter, type Problem } from './problem.ts'

/** Rises when the fields of a cursor change their meaning: older cursors are then refused instead of misread. */
const VERSION = 2

/** Longer than any cursor of this service. A longer text is not decoded. */
const MAX_CURSOR_LENGTH = 512

/** How a resource's cursor is written: as a flat JSON list. */
export interface CursorCodec<C> {
  readonly kind: string
  /** The fields in the order of the list, restricted to values that the database can compare. */
  readonly fields: z.ZodObject<{ readonly [Field in keyof C]: z.ZodType<C[Field]> }>
}

export interface ListBody<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
  readonly asOfBlock: string | null
}

/** What distinguishes one list from another. A cursor is valid for the same list only. */
export interface ListIdentity {
  readonly chainId: number
  /** Every parameter that decides which rows come in which order. */
  readonly query: unknown
}

export function listBody<T, C>(page: Page<T, C>, codec: CursorCodec<C>, list: ListIdentity): ListBody<T> {
  return { data: page.data, nextCursor: page.next === null ? null : encodeCursor(codec, page.next, list), asOfBlock: page.asOfBlock }
}

export function encodeCursor<C>(codec: CursorCodec<C>, cursor: C, list: ListIdentity): string {
  const fields = namesOf(codec).map(name => cursor[name])
  return Buffer.from(JSON.stringify([VERSION, fingerprint(codec.kind, list), ...fields])).toString('base64url')
}

/** `{}` when no cursor was given, so that the result can be spread into a query. */
export function decodeCursor<C>(codec: CursorCodec<C>, text: string | undefined, list: ListIdentity): { readonly cursor?: C } | Problem {
  if (text === undefined) return {}
  const [version, print, ...values] = listOf(text)
  const cursor = z.safeParse(codec.fields, Object.fromEntries(namesOf(codec).map((name, index) => [name, values[index]])))
  return version === VERSION && print === fingerprint(codec.kind, list) && cursor.success
    ? { cursor: cursor.data as C }
    : invalidParameter(`cursor must be the nextCursor of an answer of chain ${list.chainId} to the same request (only limit may differ)`)
}

function namesOf<C>(codec: CursorCodec<C>): readonly (keyof C)[] {
  return Object.keys(codec.fields.shape) as (keyof C)[]
}

function listOf(text: string): readonly unknown[] {
  if (text.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(text)) return []
  try {
    const list: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function fingerprint(kind: string, { chainId, query }: ListIdentity): string {
  return hash('sha1', JSON.stringify([kind, chainId, query]), 'base64url').slice(0, 8)
}

/** 9999-12-31, the last second with a year of four digits in ISO 8601. */
export const MAX_UNIX_SECONDS = 253_402_300_799

export const INT32_MAX = 2_147_483_647

const addressText = z.string().regex(/^0x[0-9a-f]{40}$/) as unknown as z.ZodType<Address, string>

const integerUpTo = (max: number) => z.int().min(0).max(max)

const integerTextUpTo = (max: number) => z.string().refine(text => /^\d{1,16}$/.test(text) && Number(text) <= max)
const decimalText = z.string().regex(/^-?\d{1,120}(\.\d{1,120})?$/)
/** Zero, or a value that a double can hold: PostgreSQL refuses one that overflows or underflows. */
const doubleText = z
  .string()
  .regex(/^-?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/)
  .refine(text => Number.isFinite(Number(text)) && (Number(text) !== 0 || /^-?[0.]+(e|$)/.test(text)))

export const TRADE_CURSOR: CursorCodec<TradeCursor> = {
  kind: 'trades',
  fields: z.object({ blockNumber: integerUpTo(Number.MAX_SAFE_INTEGER), logIndex: integerUpTo(Number.MAX_SAFE_INTEGER) }),
}

/** The cursor of lists of trades over many tokens. */
export const MARKET_TRADE_CURSOR: CursorCodec<TradeCursor> = { ...TRADE_CURSOR, kind: 'marketTrades' }

/** Reads the `id` of a trade; `null` for another text. */
export function parseTradeId(id: string): TradeCursor | null {
  const match = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/.exec(id)
  const parsed = TRADE_CURSOR.fields.safeParse({ blockNumber: Number(match?.[1]), logIndex: Number(match?.[2]) })
  return match !== null && parsed.success ? parsed.data : null
}

export const HOLDER_CURSOR: CursorCodec<HolderCursor> = {
  kind: 'holders',
  fields: z.object({ balance: z.string().regex(/^\d{1,78}$/), address: addressText, rank: integerUpTo(INT32_MAX) }),
}

export const TRADER_CURSOR: CursorCodec<TraderCursor> = {
  kind: 'traders',
  fields: z.object({ value: decimalText.nullable(), address: addressText }),
}

const holdingsBy = (value: z.ZodType<string | null>): CursorCodec<HoldingCursor> => ({
  kind: 'holdings',
  fields: z.object({ value, token: addressText }),
})

export const HOLDING_CURSORS: Readonly<Record<HoldingSort, CursorCodec<HoldingCursor>>> = {
  value: holdingsBy(decimalText.nullable()),
  balance: holdingsBy(decimalText),
  lastChanged: holdingsBy(integerTextUpTo(Number.MAX_SAFE_INTEGER)),
}

export const CLAIM_CURSOR: CursorCodec<ClaimCursor> = {
  kind: 'claims',
  fields: z.object({
    token: addressText,
    launchpad: z
      .string()
      .max(64)
      .regex(/^\P{Cc}*$/u),
    currency: addressText,
  }),
}

export const CANDLE_CURSOR: CursorCodec<CandleCursor> = {
  kind: 'candles',
  fields: z.object({ time: integerUpTo(MAX_UNIX_SECONDS) }),
}

const tokensBy = (value: z.ZodString): CursorCodec<TokenCursor> => ({
  kind: 'tokens',
  fields: z.object({ value: value.nullable(), address: addressText }),
})

export const TOKEN_CURSORS: Readonly<Record<TokenSort, CursorCodec<TokenCursor>>> = {
  createdAt: tokensBy(integerTextUpTo(MAX_UNIX_SECONDS)),
  lastTradeAt: tokensBy(integerTextUpTo(MAX_UNIX_SECONDS)),
  migratedAt: tokensBy(integerTextUpTo(MAX_UNIX_SECONDS)),
  holders: tokensBy(integerTextUpTo(INT32_MAX)),
  trades5m: tokensBy(integerTextUpTo(INT32_MAX)),
  trades1h: tokensBy(integerTextUpTo(INT32_MAX)),
  trades24h: tokensBy(integerTextUpTo(INT32_MAX)),
  trending: tokensBy(integerTextUpTo(INT32_MAX)),
  marketCap: tokensBy(decimalText),
  volume5m: tokensBy(decimalText),
  volume1h: tokensBy(decimalText),
  volume24h: tokensBy(decimalText),
  liquidity: tokensBy(decimalText),
  priceChange5m: tokensBy(doubleText),
  priceChange1h: tokensBy(doubleText),
  priceChange24h: tokensBy(doubleText),
  graduation: tokensBy(doubleText),
}
