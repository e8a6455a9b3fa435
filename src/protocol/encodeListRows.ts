import type { Token } from '#domain/token.ts'
import { byteLength } from './cutText.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'

type Cell = string | number | null

/** What a row of a list has, in order. */
const CELLS: Readonly<Record<string, (token: Token) => Cell>> = {
  address: token => token.address,
  symbol: token => shortText(token.symbol),
  name: token => shortText(token.name),
  imageUrl: token => token.imageUrl?.toWellFormed() ?? null,
  launchpad: token => token.launchpad,
  status: token => token.graduation.status,
  percent: token => token.graduation.percent,
  priceWeth: token => shortDecimal(token.market.priceWeth),
  priceUsd: token => shortDecimal(token.market.priceUsd),
  marketCapWeth: token => shortDecimal(token.market.marketCapWeth),
  marketCapUsd: token => shortDecimal(token.market.marketCapUsd),
  liquidityWeth: token => shortDecimal(token.market.liquidityWeth),
  priceChange5m: token => token.market.priceChange.m5,
  priceChange1h: token => token.market.priceChange.h1,
  priceChange24h: token => token.market.priceChange.h24,
  volume5m: token => shortDecimal(token.market.volumeWeth.m5),
  volume1h: token => shortDecimal(token.market.volumeWeth.h1),
  volume24h: token => shortDecimal(token.market.volumeWeth.h24),
  trades24h: token => token.market.trades.h24.buys + token.market.trades.h24.sells,
  holders: token => token.market.holderCount,
  createdAt: token => token.createdAt,
  lastTradeAt: token => token.market.lastTradeAt,
}

/** The names of a row's cells, in order. */
export const LIST_COLUMNS: readonly string[] = Object.keys(CELLS)

const IMAGE = LIST_COLUMNS.indexOf('imageUrl')
const NAME = LIST_COLUMNS.indexOf('name')
const SYMBOL = LIST_COLUMNS.indexOf('symbol')

/** Besides columns and rows a message has its type, an `id` of 64 escaped characters, sequence and block. */
const HEAD_BYTES = 1_024

/** What a list leaves out to fit, one after the other: from the last row to the first. */
const OMITTED = [IMAGE, NAME, SYMBOL]

/**
 * The fields `columns` and `data` of a list of at most 50 tokens, as JSON without braces. In a message of 16,384 bytes they fit: images are
 * left out where there is no room, from the last row, then names and symbols.
 */
export function encodeListRows(tokens: readonly Token[]): string {
  const rows = tokens.map(token => Object.values(CELLS).map(cellOf => cellOf(token)))
  const prefix = `"columns":${JSON.stringify(LIST_COLUMNS)},"data":`
  let excess = byteLength(JSON.stringify(rows)) + prefix.length + HEAD_BYTES - MAX_MESSAGE_BYTES
  for (const column of OMITTED) {
    for (const row of rows.toReversed()) {
      if (excess <= 0) break
      excess -= byteLength(JSON.stringify(row[column])) - NULL_BYTES
      row[column] = null
    }
  }
  return `${prefix}${JSON.stringify(rows)}`
}

const NULL_BYTES = 4

/** Longest symbol or name, in UTF-16 units. */
const SHORT_TEXT = 32

function shortText(text: string | null): string | null {
  if (text === null || text.length <= SHORT_TEXT) return text?.toWellFormed() ?? null
  return text.slice(0, SHORT_TEXT).toWellFormed()
}

/** Significant digits of prices and values. */
const DIGITS = 10

/** Cut, not rounded, to ten significant digits, without changing the whole part. */
function shortDecimal(text: string | null): string | null {
  if (text === null) return null
  const [whole = '', fraction] = text.split('.')
  if (fraction === undefined) return text
  const leading = whole.replace('-', '') === '0' ? fraction.length - fraction.replace(/^0+/, '').length : -whole.replace('-', '').length
  const kept = fraction.slice(0, Math.max(0, DIGITS + leading)).replace(/0+$/, '')
  return kept === '' ? whole : `${whole}.${kept}`
}
