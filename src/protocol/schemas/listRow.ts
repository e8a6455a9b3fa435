import { z } from 'zod'
import { GRADUATION_STATUSES } from '#domain/token.ts'
import { addressText, count, decimalText, timeText } from '#resources/values.ts'

const text = z.string().nullable()
const decimal = decimalText.nullable()
const number = z.number().nullable()

/** A row of a `list`, whose cells are sent in the order of `columns`. */
export const listRowSchema = z
  .object({
    address: addressText,
    symbol: text,
    name: text,
    imageUrl: text,
    launchpad: z.string(),
    status: z.enum(GRADUATION_STATUSES),
    percent: number,
    priceWeth: decimal,
    priceUsd: decimal,
    marketCapWeth: decimal,
    marketCapUsd: decimal,
    liquidityWeth: decimal,
    priceChange5m: number,
    priceChange1h: number,
    priceChange24h: number,
    volume5m: decimal,
    volume1h: decimal,
    volume24h: decimal,
    trades24h: count,
    buys24h: count,
    holders: count,
    createdAt: timeText,
    lastTradeAt: timeText.nullable(),
    sequence: count,
  })
  .meta({
    id: 'ListRow',
    description: 'A row of a list. Symbols and names have at most 32 characters, prices and values ten significant digits.',
  })
