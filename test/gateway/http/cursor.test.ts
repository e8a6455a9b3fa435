import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { type Address, toAddress } from '#domain/address.ts'
import { type Cursor, decodeCursor, encodeCursor } from '#gateway/http/readRoutes.ts'
import { candles } from '#resources/candles.ts'
import { holders } from '#resources/holders.ts'
import { TOKEN_SORTS, type TokenSort, tokens } from '#resources/tokens.ts'
import { trades } from '#resources/trades.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { cursorOf, forgeCursor } from './forgeCursor.ts'

const LIST = { id: 'listTrades', chainId: 8453, query: { token: addressOf(1), order: 'desc' } }

const TRADE_CURSOR = cursorOf(trades as never)
const CANDLE_CURSOR = cursorOf(candles as never)
const HOLDER_CURSOR = cursorOf(holders as never)
const tokenCursor = (sort: TokenSort) => cursorOf(tokens as never, { sort })

const anyAddress = fc.stringMatching(/^[0-9a-f]{40}$/).map((digits): Address => toAddress(`0x${digits}`))
const count = (max: number) => fc.integer({ min: 0, max })

/** What each sort's column can hold, as PostgreSQL prints it. */
const sortValue: Readonly<Record<'count' | 'decimal' | 'double', fc.Arbitrary<string>>> = {
  count: count(2_147_483_647).map(String),
  decimal: fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.bigInt({ min: 0n, max: 10n ** 60n }))
    .map(([whole, part]) => `${whole}.${part}`),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => String(value)),
}

const COLUMNS: Readonly<Record<TokenSort, keyof typeof sortValue>> = {
  createdAt: 'count',
  marketCap: 'decimal',
  volume5m: 'decimal',
  volume1h: 'decimal',
  volume24h: 'decimal',
  priceChange5m: 'double',
  priceChange1h: 'double',
  priceChange24h: 'double',
  liquidity: 'decimal',
  holders: 'count',
  trades5m: 'count',
  trades1h: 'count',
  trades24h: 'count',
  lastTradeAt: 'count',
  graduation: 'double',
  migratedAt: 'count',
  trending: 'count',
}

test('every cursor comes back as it was', () => {
  const balance = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String)
  const place = { blockNumber: count(Number.MAX_SAFE_INTEGER), logIndex: count(Number.MAX_SAFE_INTEGER) }
  expectRoundTrip(TRADE_CURSOR, fc.record({ ...place, amountWei: fc.option(balance) }))
  expectRoundTrip(CANDLE_CURSOR, fc.record({ time: count(253_402_300_799) }))
  expectRoundTrip(HOLDER_CURSOR, fc.record({ balance, address: anyAddress, rank: count(2_147_483_647) }))
})

test.for(TOKEN_SORTS)('every token cursor sorted by %s comes back as it was', sort => {
  expectRoundTrip(tokenCursor(sort), fc.record({ value: fc.option(sortValue[COLUMNS[sort]]), address: anyAddress }))
})

test.for([
  ['a fraction of a block', TRADE_CURSOR, [1.5, 0]],
  ['a negative block', TRADE_CURSOR, [-1, 0]],
  ['an unsafe block', TRADE_CURSOR, [2 ** 53, 0]],
  ['a log index that no number holds', TRADE_CURSOR, [1, 2 ** 53]],
  ['a block in text', TRADE_CURSOR, ['1', 0]],
  ['a missing log index', TRADE_CURSOR, [1]],
  ['a time past the year 9999', CANDLE_CURSOR, [253_402_300_800]],
  ['a balance past uint256', HOLDER_CURSOR, ['1'.repeat(79), addressOf(1), 1]],
  ['a negative balance', HOLDER_CURSOR, ['-1', addressOf(1), 1]],
  ['a holder that is no address', HOLDER_CURSOR, ['1', '0x12', 1]],
  ['a rank past int4', HOLDER_CURSOR, ['1', addressOf(1), 2 ** 31]],
  ['a number of holders past int4', tokenCursor('holders'), ['2147483648', addressOf(1)]],
  ['a number of holders with a fraction', tokenCursor('holders'), ['1.5', addressOf(1)]],
  ['a creation time in ISO 8601', tokenCursor('createdAt'), ['2026-01-01T00:00:00Z', addressOf(1)]],
  ['a market cap with an exponent', tokenCursor('marketCap'), ['1e5', addressOf(1)]],
  ['a market cap that is NaN', tokenCursor('marketCap'), ['NaN', addressOf(1)]],
  ['a market cap that is a number', tokenCursor('marketCap'), [5, addressOf(1)]],
  ['a price change that overflows a double', tokenCursor('priceChange24h'), ['1e309', addressOf(1)]],
  ['a price change that underflows one', tokenCursor('priceChange24h'), ['1e-400', addressOf(1)]],
  ['an infinite graduation', tokenCursor('graduation'), ['Infinity', addressOf(1)]],
  ['a token that is no address', tokenCursor('holders'), ['1', null]],
] as const)('refuses %s', ([, schema, fields]) => {
  expect(decodeCursor(schema, forgeCursor(schema, fields, LIST), LIST)).toMatchObject({ kind: 'invalid', problem: { status: 400 } })
})

const REFUSED = { kind: 'invalid', problem: { code: 'invalid_parameter' } }

test('refuses a cursor of another resource, another list, another chain or another version', () => {
  const text = encodeCursor(TRADE_CURSOR, { blockNumber: 1, logIndex: 2 }, LIST)
  expect(decodeCursor(TRADE_CURSOR, text, { ...LIST, id: 'listMarketTrades' })).toMatchObject(REFUSED)
  expect(decodeCursor(TRADE_CURSOR, text, { ...LIST, query: { ...LIST.query, order: 'asc' } })).toMatchObject(REFUSED)
  expect(decodeCursor(TRADE_CURSOR, text, { ...LIST, chainId: 1 })).toMatchObject(REFUSED)
  const [version, ...rest] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [number, ...unknown[]]
  const other = Buffer.from(JSON.stringify([version + 1, ...rest])).toString('base64url')
  expect(decodeCursor(TRADE_CURSOR, other, LIST)).toMatchObject(REFUSED)
})

test('never throws, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 600 }),
        fc.json().map(text => Buffer.from(text).toString('base64url')),
      ),
      text => {
        expect(decodeCursor(tokenCursor('marketCap'), text, LIST)).toMatchObject(REFUSED)
      },
    ),
  )
})

function expectRoundTrip(fields: z.ZodObject, cursors: fc.Arbitrary<Cursor>): void {
  fc.assert(
    fc.property(cursors, cursor => {
      const text = encodeCursor(fields, cursor, LIST)
      expect(text).toMatch(/^[\w-]{1,512}$/)
      expect(decodeCursor(fields, text, LIST)).toEqual({ kind: 'valid', cursor })
    }),
  )
}
