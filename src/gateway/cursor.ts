import { hash } from 'node:crypto'
import { parseAddress } from '#domain/address.ts'
import type { CandleCursor, HolderCursor, Page, TokenCursor, TokenSort, TradeCursor } from '#domain/queries.ts'
import { invalidParameter, type Problem } from './problem.ts'

/** Counts up when a cursor's fields change meaning: older ones are then refused instead of misread. */
const VERSION = 1

/** No cursor of ours is longer; a longer one is not even decoded. */
const MAX_CURSOR_LENGTH = 512

/** A resource's cursor as a flat JSON list. `read` gives `undefined` for anything that storage should not be asked. */
export interface CursorCodec<C> {
  readonly kind: string
  write(cursor: C): readonly (string | number | null)[]
  read(fields: readonly unknown[]): C | undefined
}

/** The body of a list answer. */
export interface ListBody<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}

/**
 * @param identity - every parameter that decides which rows come in which order: a cursor is good for the same list only
 */
export function listBody<T, C>(page: Page<T, C>, codec: CursorCodec<C>, identity: unknown): ListBody<T> {
  return { data: page.data, nextCursor: page.next === null ? null : encodeCursor(codec, page.next, identity) }
}

export function encodeCursor<C>(codec: CursorCodec<C>, cursor: C, identity: unknown): string {
  return Buffer.from(JSON.stringify([VERSION, fingerprint(codec.kind, identity), ...codec.write(cursor)])).toString('base64url')
}

/** `{}` when no cursor was given, so that it can be spread into a query. */
export function decodeCursor<C>(codec: CursorCodec<C>, text: string | undefined, identity: unknown): { readonly cursor?: C } | Problem {
  if (text === undefined) return {}
  const [version, print, ...fields] = fieldsOf(text)
  const cursor = version === VERSION && print === fingerprint(codec.kind, identity) ? codec.read(fields) : undefined
  return cursor === undefined
    ? invalidParameter('cursor must be the nextCursor of an answer to the same request (only limit may differ)')
    : { cursor }
}

function fieldsOf(text: string): readonly unknown[] {
  if (text.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(text)) return []
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(fields) ? fields : []
  } catch {
    return []
  }
}

function fingerprint(kind: string, identity: unknown): string {
  return hash('sha1', JSON.stringify([kind, identity]), 'base64url').slice(0, 8)
}

export const TRADE_CURSOR: CursorCodec<TradeCursor> = {
  kind: 'trades',
  write: cursor => [cursor.blockNumber, cursor.logIndex],
  read: ([blockNumber, logIndex]) =>
    isCount(blockNumber, Number.MAX_SAFE_INTEGER) && isCount(logIndex, INT32_MAX) ? { blockNumber, logIndex } : undefined,
}

export const HOLDER_CURSOR: CursorCodec<HolderCursor> = {
  kind: 'holders',
  write: cursor => [cursor.balance, cursor.address, cursor.rank],
  read([balance, addressText, rank]) {
    const address = parseAddress(addressText)
    return typeof balance === 'string' && /^\d{1,78}$/.test(balance) && address !== undefined && isCount(rank, INT32_MAX)
      ? { balance, address, rank }
      : undefined
  },
}

export const CANDLE_CURSOR: CursorCodec<CandleCursor> = {
  kind: 'candles',
  write: cursor => [cursor.time],
  read: ([time]) => (isCount(time, MAX_UNIX_SECONDS) ? { time } : undefined),
}

/** The sort belongs to the codec, because it says what a value looks like. */
export function tokenCursor(sort: TokenSort): CursorCodec<TokenCursor> {
  return {
    kind: 'tokens',
    write: cursor => [cursor.value, cursor.address],
    read([value, addressText]) {
      const address = parseAddress(addressText)
      return address !== undefined && (value === null || (typeof value === 'string' && SORT_VALUES[sort](value)))
        ? { value, address }
        : undefined
    },
  }
}

/** 9999-12-31, the last second that ISO 8601 writes with four digits of year. */
export const MAX_UNIX_SECONDS = 253_402_300_799

const INT32_MAX = 2_147_483_647

/** What the column of each sort can hold as text. */
const SORT_VALUES: Readonly<Record<TokenSort, (text: string) => boolean>> = {
  createdAt: isIntegerText(MAX_UNIX_SECONDS),
  lastTradeAt: isIntegerText(MAX_UNIX_SECONDS),
  holders: isIntegerText(INT32_MAX),
  trades24h: isIntegerText(INT32_MAX),
  marketCap: isDecimalText,
  volume24h: isDecimalText,
  liquidity: isDecimalText,
  priceChange24h: isDoubleText,
  priceChange1h: isDoubleText,
  graduation: isDoubleText,
}

function isCount(value: unknown, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max
}

function isIntegerText(max: number): (text: string) => boolean {
  return text => /^\d{1,16}$/.test(text) && Number(text) <= max
}

function isDecimalText(text: string): boolean {
  return /^-?\d{1,120}(\.\d{1,120})?$/.test(text)
}

/** Zero, or what fits a double: PostgreSQL refuses one that overflows or underflows. */
function isDoubleText(text: string): boolean {
  if (!/^-?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/.test(text)) return false
  const value = Number(text)
  return Number.isFinite(value) && (value !== 0 || /^-?[0.]+(e|$)/.test(text))
}
