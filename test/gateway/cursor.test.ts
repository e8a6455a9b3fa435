import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Address, toAddress } from '#domain/address.ts'
import { TOKEN_SORTS, type TokenSort } from '#domain/queries.ts'
import {
  CANDLE_CURSOR,
  type CursorCodec,
  decodeCursor,
  encodeCursor,
  HOLDER_CURSOR,
  TOKEN_CURSORS,
  TRADE_CURSOR,
} from '#gateway/http/cursor.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { forgeCursor } from './forgeCursor.ts'

const LIST = { chainId: 8453, query: { token: addressOf(1), order: 'desc' } }

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

function expectRoundTrip<C>(codec: CursorCodec<C>, cursors: fc.Arbitrary<C>): void {
  fc.assert(
    fc.property(cursors, cursor => {
      const text = encodeCursor(codec, cursor, LIST)
      expect(text).toMatch(/^[\w-]{1,512}$/)
      expect(decodeCursor(codec, text, LIST)).toEqual({ cursor })
    }),
  )
}

test('every cursor comes back as it was', () => {
  expectRoundTrip(TRADE_CURSOR, fc.record({ blockNumber: count(Number.MAX_SAFE_INTEGER), logIndex: count(Number.MAX_SAFE_INTEGER) }))
  expectRoundTrip(CANDLE_CURSOR, fc.record({ time: count(253_402_300_799) }))
  const balance = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String)
  expectRoundTrip(HOLDER_CURSOR, fc.record({ balance, address: anyAddress, rank: count(2_147_483_647) }))
})

test.for(TOKEN_SORTS)('every token cursor sorted by %s comes back as it was', sort => {
  expectRoundTrip(TOKEN_CURSORS[sort], fc.record({ value: fc.option(sortValue[COLUMNS[sort]]), address: anyAddress }))
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
  ['a number of holders past int4', TOKEN_CURSORS.holders, ['2147483648', addressOf(1)]],
  ['a number of holders with a fraction', TOKEN_CURSORS.holders, ['1.5', addressOf(1)]],
  ['a creation time in ISO 8601', TOKEN_CURSORS.createdAt, ['2026-01-01T00:00:00Z', addressOf(1)]],
  ['a market cap with an exponent', TOKEN_CURSORS.marketCap, ['1e5', addressOf(1)]],
  ['a market cap that is NaN', TOKEN_CURSORS.marketCap, ['NaN', addressOf(1)]],
  ['a market cap that is a number', TOKEN_CURSORS.marketCap, [5, addressOf(1)]],
  ['a price change that overflows a double', TOKEN_CURSORS.priceChange24h, ['1e309', addressOf(1)]],
  ['a price change that underflows one', TOKEN_CURSORS.priceChange24h, ['1e-400', addressOf(1)]],
  ['an infinite graduation', TOKEN_CURSORS.graduation, ['Infinity', addressOf(1)]],
  ['a token that is no address', TOKEN_CURSORS.holders, ['1', null]],
] as const)('refuses %s', ([, codec, fields]) => {
  const anyCodec = codec as CursorCodec<never>
  expect(decodeCursor(anyCodec, forgeCursor(anyCodec, fields, LIST), LIST)).toMatchObject({ kind: 'problem', status: 400 })
})

test('refuses a cursor of another resource, another list, another chain or another version', () => {
  const text = encodeCursor(TRADE_CURSOR, { blockNumber: 1, logIndex: 2 }, LIST)
  expect(decodeCursor(CANDLE_CURSOR, text, LIST)).toMatchObject({ code: 'invalid_parameter' })
  expect(decodeCursor(TRADE_CURSOR, text, { ...LIST, query: { ...LIST.query, order: 'asc' } })).toMatchObject({ code: 'invalid_parameter' })
  expect(decodeCursor(TRADE_CURSOR, text, { ...LIST, chainId: 1 })).toMatchObject({ code: 'invalid_parameter' })
  const [version, ...rest] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [number, ...unknown[]]
  const other = Buffer.from(JSON.stringify([version + 1, ...rest])).toString('base64url')
  expect(decodeCursor(TRADE_CURSOR, other, LIST)).toMatchObject({ code: 'invalid_parameter' })
})

test('never throws, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 600 }),
        fc.json().map(text => Buffer.from(text).toString('base64url')),
      ),
      text => {
        expect(decodeCursor(TOKEN_CURSORS.marketCap, text, LIST)).toMatchObject({ kind: 'problem' })
      },
    ),
  )
})
