import type { Token } from '#resources/token.ts'
import type { Wire } from '#resources/values.ts'
import type { listRowSchema } from './schemas/listRow.ts'

type Cell = string | number | null

/** The cells of a list's row, in order. */
export const LIST_CELLS: Readonly<Record<keyof Wire<typeof listRowSchema>, (token: Token) => Cell>> = {
  address: token => token.address,
  symbol: token => shortText(token.symbol),
  name: token => shortText(token.name),
  imageUrl: token => wellFormed(token.imageUrl),
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
  buys24h: token => token.market.trades.h24.buys,
  holders: token => token.market.holderCount,
  createdAt: token => token.createdAt,
  lastTradeAt: token => token.market.lastTradeAt,
  sequence: token => token.sequence,
}

/** Longest symbol or name, in UTF-16 units. */
const SHORT_TEXT = 32

function shortText(text: string | null): string | null {
  return wellFormed(text?.slice(0, SHORT_TEXT))
}

/** `toWellFormed`, which the oldest platforms of the client do not have. With `u` only halves of surrogate pairs match. */
function wellFormed(text: string | null | undefined): string | null {
  return text?.replace(/\p{Cs}/gu, '\ufffd') ?? null
}

/** Significant digits of prices and values. */
const DIGITS = 10

/** Cuts, without rounding, to ten significant digits, and never changes the whole part. */
function shortDecimal(text: string | null): string | null {
  if (text === null) return null
  const [whole = '', fraction] = text.split('.')
  if (fraction === undefined) return text
  const leading = whole.replace('-', '') === '0' ? fraction.length - fraction.replace(/^0+/, '').length : -whole.replace('-', '').length
  const kept = fraction.slice(0, Math.max(0, DIGITS + leading)).replace(/0+$/, '')
  return kept === '' ? whole : `${whole}.${kept}`
}

/** The names of a row's cells, in order. */
export const LIST_COLUMNS: readonly string[] = Object.keys(LIST_CELLS)
