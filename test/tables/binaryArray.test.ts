import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Hex } from '#domain/address.ts'
import { type Decimal, formatDecimal } from '#domain/decimal.ts'
import {
  BIGINT,
  BOOLEAN,
  BYTEA,
  binaryArray,
  DECIMAL,
  DOUBLE,
  type ElementType,
  INTEGER,
  NUMERIC,
  SMALLINT,
  TEXT,
} from '#tables/binaryArray.ts'
import { useDatabase } from '#test/support/database.ts'

const database = await useDatabase({ migrated: false })

/** What the server makes of the elements, as it prints them. */
async function printed<Value>(
  pgType: string,
  type: ElementType<Value>,
  values: readonly (Value | null)[],
): Promise<readonly (string | null)[]> {
  const { rows } = await sql<{ value: string | null }>`
    select value::text as value from unnest(${binaryArray(type, values)}::${sql.raw(pgType)}[]) as value`.execute(database.kysely)
  return rows.map(({ value }) => value)
}

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
  fc
    .tuple(fc.bigInt({ min: -99_999n, max: 99_999n }), fc.integer({ min: 0, max: 120 }))
    .map(([head, zeros]) => head * 10n ** BigInt(zeros)),
)
const RUNS = { numRuns: 30 }
const many = <Value>(one: fc.Arbitrary<Value>) => fc.array(fc.option(one), { minLength: 1, maxLength: 60 })

describe('a binary array', () => {
  it('holds whole numbers of any size', async () => {
    await fc.assert(
      fc.asyncProperty(many(integers), async values => {
        expect(await printed('numeric', NUMERIC, values)).toEqual(values.map(value => value?.toString() ?? null))
      }),
      RUNS,
    )
  })

  it('holds decimals as their plain text would, its number of digits included', async () => {
    await fc.assert(
      fc.asyncProperty(many(integers.map(value => value as Decimal)), async values => {
        expect(await printed('numeric', DECIMAL, values)).toEqual(values.map(value => (value === null ? null : formatDecimal(value))))
      }),
      RUNS,
    )
  })

  it('holds text of any kind and length, with more after it', async () => {
    const texts = ['', 'NULL', '"', '\\', '{a,b}', 'a\nb', '🜛 ünïcödé'.repeat(500), null, 'x'.repeat(100_000), 'end']
    expect(await printed('text', TEXT, texts)).toEqual(texts)
  })

  it('holds bytes', async () => {
    const bytes: (Hex | null)[] = ['0x', '0xdeadBEEF', null, `0x${'00ff'.repeat(16)}`]
    expect(await printed('bytea', BYTEA, bytes)).toEqual(bytes.map(hex => (hex === null ? null : `\\${hex.slice(1).toLowerCase()}`)))
  })

  it('holds numbers to the ends of their types', async () => {
    expect(await printed('smallint', SMALLINT, [-32_768, 0, 32_767])).toEqual(['-32768', '0', '32767'])
    expect(await printed('integer', INTEGER, [-(2 ** 31), -1, 2 ** 31 - 1])).toEqual(['-2147483648', '-1', '2147483647'])
    const large = [Number.MIN_SAFE_INTEGER, -(2 ** 32), -1, 0, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]
    expect(await printed('bigint', BIGINT, large)).toEqual(large.map(String))
    expect(await printed('double precision', DOUBLE, [-0.1, -0, 1e300, null])).toEqual(['-0.1', '0', '1e+300', null])
    expect(await printed('boolean', BOOLEAN, [true, null, false])).toEqual(['true', null, 'false'])
  })

  it('may be empty', async () => {
    expect(await printed('numeric', NUMERIC, [])).toEqual([])
  })

  it('is refused for what would be written as another value', () => {
    expect(() => binaryArray(BIGINT, [1.5])).toThrow(RangeError)
    expect(() => binaryArray(BIGINT, [2 ** 53])).toThrow(RangeError)
    expect(() => binaryArray(INTEGER, [Number.NaN])).toThrow(RangeError)
    expect(() => binaryArray(INTEGER, [2 ** 31])).toThrow(RangeError)
    expect(() => binaryArray(SMALLINT, [40_000])).toThrow(RangeError)
    expect(() => binaryArray(BYTEA, ['0xzz'])).toThrow(TypeError)
    expect(() => binaryArray(BYTEA, ['0xabc'])).toThrow(TypeError)
  })
})
