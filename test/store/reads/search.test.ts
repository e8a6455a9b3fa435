import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { readSearch } from '#store/reads/search.ts'
import { runStatements } from '#store/rows/insertRows.ts'
import { writeTokenNames } from '#store/rows/metadata.ts'
import { useDatabase } from '#test/support/database.ts'
import { insertRows, type Row, tokenRow } from '#test/support/rows.ts'

const { kysely, clear } = await useDatabase()

const search = async (q: string, limit = 20) => (await readSearch(kysely, { q, limit }, 31337)).data.map(token => token.symbol)

const named = (n: number, symbol: string | null, name: string | null, marketCap: string | null = null): Row =>
  tokenRow(n, { symbol, name, market_cap_weth: marketCap })

async function insertTokens(rows: readonly Row[]): Promise<void> {
  await insertRows(kysely, 'token', rows)
  await runStatements(kysely, writeTokenNames(rows.map(row => row['address'] as Address)))
}

describe('searching tokens', () => {
  beforeEach(clear)

  test('ranks exact symbol, symbol prefix, name prefix and likeness in this order, in whatever case', async () => {
    await insertTokens([
      named(1, 'X1', 'Baby Doge Coin', '900'),
      named(2, 'X2', 'Dogelon Mars', '800'),
      named(3, 'DOGEX', 'Something', '700'),
      named(4, 'DoGe', 'Other', '1'),
      named(5, 'CAT', 'Cat', '1000'),
    ])
    expect(await search('doge')).toEqual(['DoGe', 'DOGEX', 'X2', 'X1'])
    expect(await search('  DOGE ')).toEqual(['DoGe', 'DOGEX', 'X2', 'X1'])
    expect(await search('doge', 2)).toEqual(['DoGe', 'DOGEX'])
  })

  test('breaks ties by market cap, those without one last, then by address', async () => {
    await insertTokens([named(1, 'PEPE', 'a'), named(2, 'pepe', 'b', '5'), named(3, 'Pepe', 'c', '50'), named(4, 'PePe', 'd')])
    expect(await search('pepe')).toEqual(['Pepe', 'pepe', 'PEPE', 'PePe'])
  })

  test('gives the best of many, also when the best of one way are those of another', async () => {
    await insertTokens([
      ...Array.from({ length: 30 }, (_, index) => named(100 + index, 'ab', 'abc', String(1000 + index))),
      ...Array.from({ length: 30 }, (_, index) => named(200 + index, `ab${index}`, 'zzz', String(index))),
    ])
    const found = await search('ab', 40)
    expect(found.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 'ab'))
    expect(found.slice(30)).toEqual(['ab29', 'ab28', 'ab27', 'ab26', 'ab25', 'ab24', 'ab23', 'ab22', 'ab21', 'ab20'])
  })

  test('finds addresses by prefix, of an odd number of digits too', async () => {
    const high = '0xabcdef0000000000000000000000000000000001'
    await insertTokens([
      { ...named(1, 'HIT', 'n'), address: high },
      { ...named(2, 'LATE', 'n', '9'), address: '0xabcdefffffffffffffffffffffffffffffffffff' },
      { ...named(3, 'MISS', 'n'), address: '0xabce000000000000000000000000000000000000' },
      named(4, '0xabcdef', 'an impostor', '1000000'),
    ])
    expect(await search('0xABCD')).toEqual(['LATE', 'HIT', '0xabcdef'])
    // TradingView's data feed asks in capitals, whatever was typed.
    expect(await search('0XABCD')).toEqual(['LATE', 'HIT', '0xabcdef'])
    expect(await search('0xabcde')).toEqual(['LATE', 'HIT', '0xabcdef'])
    expect(await search('0xabcdef00000')).toEqual(['HIT'])
    expect(await search(high)).toEqual(['HIT'])
    // Prefixes of fewer than four digits once found no address.
    expect(await search('0xab')).toEqual(['LATE', 'HIT', 'MISS', '0xabcdef'])
    expect(await search('0xa')).toEqual(['0xabcdef'])
    expect(await search(`${high}0`)).toEqual([])
  })

  test('finds the largest of many tokens whose addresses begin alike', async () => {
    const beginning = (n: number) => `0xab${n.toString(16).padStart(38, '0')}` as Address
    await insertTokens([
      ...Array.from({ length: 450 }, (_, n) => ({ ...named(n, 'small', 'n', String(n)), address: beginning(n) })),
      { ...named(999, 'LARGE', 'n', '1000'), address: beginning(999) },
    ])
    expect((await search('0xab'))[0]).toBe('LARGE')
  })

  test('takes every character as it is', async () => {
    await insertTokens([
      named(1, '100%', 'zzz'),
      named(2, 'a_b', 'zzz'),
      named(3, 'axb', 'zzz'),
      named(4, 'c:\\d', 'zzz'),
      named(5, "'; drop", 'zzz'),
      named(6, '🐶🚀', 'zzz'),
    ])
    expect(await search('%')).toEqual([])
    expect(await search('100%')).toEqual(['100%'])
    expect(await search('_')).toEqual([])
    expect(await search('a_')).toEqual(['a_b'])
    expect(await search('c:\\')).toEqual(['c:\\d'])
    expect(await search("'; DROP")).toEqual(["'; drop"])
    expect(await search('🐶')).toEqual(['🐶🚀'])
    expect(await search('\0')).toEqual([])
    expect(await search('   ')).toEqual([])
  })

  test('finds what is misspelt at either end, and words within a name, among many tokens', async () => {
    const many = Array.from({ length: 900 }, (_, index) => {
      const letters = [index % 26, Math.floor(index / 26) % 26, 7].map(code => String.fromCharCode(97 + code)).join('')
      return named(100 + index, `${letters}x`, `${letters} filler ${letters}`, String(1_000 + index))
    })
    await insertTokens([
      ...many,
      named(1, 'WIZ', 'Wandering Albatross', '3'),
      named(2, 'HMB', 'Humble Bumblebee Club', '2'),
      named(3, 'GRAVITON', 'zzz', '1'),
    ])
    expect(await search('wandering albatros')).toEqual(['WIZ'])
    expect(await search('vandering albatross')).toEqual(['WIZ'])
    expect((await search('albatross'))[0]).toBe('WIZ')
    expect(await search('bumblebee')).toEqual(['HMB'])
    expect(await search('humble bumb')).toEqual(['HMB'])
    expect(await search('club bumblebee')).toEqual(['HMB'])
    expect(await search('gravitom')).toEqual(['GRAVITON'])
    expect(await search('gravitom rocket')).toEqual(['GRAVITON'])
  })

  test('takes what is no word, or an operator of a search, as it is', async () => {
    await insertTokens([named(1, 'A', "it's & ! | here"), named(2, 'B', '🐶🚀🌙 dog')])
    expect(await search("it's & ! | hera")).toEqual(['A'])
    expect(await search('🚀🌙🐶')).toEqual([])
    expect(await search('!!! | :* &')).toEqual([])
  })

  test('gives what a walk over all tokens gives, by symbol and by the beginning of symbol and name', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', 'b', '%', '_', '\\', ' ', 'é', 'É', '0'), minLength: 1, maxLength: 4 })
    const tokens = fc.sample(fc.tuple(text, text, fc.option(fc.nat(20))), { seed: 3, numRuns: 150 })
    const rows = tokens.map(([symbol, name, cap], index) => named(index + 1, symbol, name, cap === null ? null : String(cap)))
    await insertTokens(rows)
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(1, 5, 50), async (typed, limit) => {
        const { data: found } = await readSearch(kysely, { q: typed, limit }, 31337)
        const wanted = ranked(rows, typed.trim().toLowerCase())
        // What is merely alike comes after all of these and is PostgreSQL's to judge.
        expect(found.slice(0, wanted.length).map(token => token.address)).toEqual(wanted.slice(0, limit))
      }),
      { numRuns: 60 },
    )
  })
})

/** The tokens whose symbol is the text, begins with it, or whose name does, best first. */
function ranked(rows: readonly Row[], text: string): readonly unknown[] {
  if (text === '') return []
  const wayOf = (row: Row) => {
    const [symbol, name] = [String(row['symbol']).toLowerCase(), String(row['name']).toLowerCase()]
    return symbol === text ? 1 : symbol.startsWith(text) ? 2 : name.startsWith(text) ? 3 : 4
  }
  const capOf = (row: Row) => (row['market_cap_weth'] === null ? -1 : Number(row['market_cap_weth']))
  return rows
    .filter(row => wayOf(row) < 4)
    .toSorted((a, b) => wayOf(a) - wayOf(b) || capOf(b) - capOf(a) || (String(a['address']) < String(b['address']) ? -1 : 1))
    .map(row => row['address'])
}
