import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { KnownSources, type PackedSources } from '#launchpads/directory/knownSources.ts'
import { NO_ROW, PackedTable } from '#launchpads/directory/packedTable.ts'
import { type IndexedSource, isUniswapV4Pool, type LogSource, positionKey } from '#launchpads/logSource.ts'

it('sources are what a map of them would hold, whatever is added, replaced, undone and looked up', () => {
  fc.assert(
    fc.property(fc.array(anyStep(), { maxLength: 60 }), steps => {
      const known = new KnownSources()
      const model = new Map<Hex, IndexedSource>()
      const upTo = (key: Hex, last: number) => {
        const found = model.get(key)
        return found === undefined || found.block > last ? undefined : found.source
      }
      for (const step of steps) {
        if (step.kind === 'put') {
          if (step.packed && step.one.source.role !== 'position') known.putAll(packed(step.one, step.one.source))
          else known.put(step.one)
          model.set(step.one.key, step.one)
        } else if (step.kind === 'get') expect(known.get(step.key, step.last)).toEqual(upTo(step.key, step.last))
        else if (step.kind === 'remove') {
          known.remove(step.key)
          model.delete(step.key)
        } else {
          known.forgetAfter(step.last)
          for (const [key, { block }] of model) if (block > step.last) model.delete(key)
        }
      }
      const keys = steps.flatMap(step => (step.kind === 'put' ? [step.one.key] : []))
      for (const key of keys) expect(known.get(key)).toEqual(model.get(key)?.source)
      const addresses = [...model.keys()].filter(({ length }) => length === 42)
      const ids = [...model].flatMap(([key, { source }]) => (key.length === 66 && isUniswapV4Pool(source) ? [key] : []))
      for (const [held, expected] of [[known.addresses(), addresses] as const, [known.poolIds(), ids] as const]) {
        expect([...held].toSorted()).toEqual(expected.toSorted())
        expect(held.size).toBe(expected.length)
        for (const key of keys) expect(held.has(key as Address)).toBe(expected.includes(key))
      }
    }),
    { numRuns: 3_000 },
  )
})

it('a list of addresses stays as it was when it was made, bar what is undone', () => {
  const known = new KnownSources()
  const token = (last: number) => `0x${last.toString(16).padStart(40, '0')}` as Address
  const put = (one: number) => known.put({ key: token(one), source: { role: 'token', launchpad: 'wow', token: token(one) }, block: one })
  for (const one of [1, 2, 3]) put(one)
  const list = known.addresses()
  put(4)
  expect([...list]).toEqual([1, 2, 3].map(token))
  expect(list.has(token(4))).toBe(false)
  known.forgetAfter(2)
  expect([...list]).toEqual([1, 2].map(token))
})

it('a packed table finds a hundred thousand keys after it has grown, and no other', () => {
  const random = createRandom(1)
  const table = new PackedTable(20, 1)
  const keyOf = () =>
    `0x${Array.from({ length: 5 }, () =>
      random
        .integer(0, 2 ** 32 - 1)
        .toString(16)
        .padStart(8, '0'),
    ).join('')}` as const
  const keys = Array.from({ length: 100_000 }, keyOf)
  for (const [row, key] of keys.entries()) {
    expect(table.add(key)).toBe(row)
    table.setValue(row, 0, 2 ** 32 - 1 - row)
  }
  for (const [row, key] of keys.entries()) {
    if (table.add(key) !== row || table.keyAt(row) !== key || table.value(row, 0) !== 2 ** 32 - 1 - row) expect.unreachable(key)
  }
  expect(table.size).toBe(keys.length)
  for (let other = 0; other < 100_000; other++) expect(table.find(keyOf())).toBe(NO_ROW)
})

it.each([
  '0x',
  `0x${'a'.repeat(39)}`,
  `0x${'A'.repeat(40)}`,
  `0x${'g'.repeat(40)}`,
  `00${'a'.repeat(40)}`,
  `0x${'a'.repeat(39)}\u0161`,
  `0x${'0'.repeat(41)}`,
])('a text that is no key is not found, and not added: %s', text => {
  const table = new PackedTable(20, 0)
  table.add(`0x${'a'.repeat(40)}`)
  table.add(`0x${'0'.repeat(40)}`)
  expect(table.find(text as Hex)).toBe(NO_ROW)
  expect(() => table.add(text as Hex)).toThrow(TypeError)
  expect(table.size).toBe(2)
})

type Step =
  | { readonly kind: 'put'; readonly one: IndexedSource; readonly packed: boolean }
  | { readonly kind: 'remove'; readonly key: Hex }
  | { readonly kind: 'forget'; readonly last: number }
  | { readonly kind: 'get'; readonly key: Hex; readonly last: number }

/** The source as a list of one, like another that differs in the token, the pool's address and the block. */
function packed({ key, block }: IndexedSource, source: PackedSources['like']): PackedSources {
  const token = 'token' in source ? source.token : ZERO_ADDRESS
  const records = Buffer.from(`${key.slice(2)}${token.slice(2)}${block.toString(16).padStart(16, '0')}`, 'hex')
  return { like: 'token' in source ? { ...source, token: ZERO_ADDRESS } : source, keyBytes: key.length / 2 - 1, records }
}

function anyStep(): fc.Arbitrary<Step> {
  const hexOf = (bytes: number) =>
    // Few keys, so that they come again, and differ in one place.
    fc
      .tuple(fc.constantFrom('0', '1', 'f'), fc.constantFrom(0, 8, bytes * 2 - 1))
      .map(([digit, at]): Hex => `0x${'0'.repeat(at)}${digit}${'0'.repeat(bytes * 2 - 1 - at)}`)
  const address = hexOf(20) as fc.Arbitrary<Address>
  const launchpad = fc.constantFrom('wow', 'clanker', 'a name, "quoted"')
  const tokenDecimals = fc.constantFrom(18, 6)
  const block = fc.oneof(fc.nat({ max: 30 }), fc.constantFrom(2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER))

  const facts = fc.record({
    type: fc.constantFrom('curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4'),
    quoteToken: address,
    tokenIsToken0: fc.boolean(),
    feeBps: fc.constantFrom(null, 0, 30, 0.05),
  })

  const indexedSource: fc.Arbitrary<IndexedSource> = fc.oneof(
    fc.tuple(address, launchpad, fc.constantFrom('contract', 'module'), block).map(([key, launchpad, role, block]) => ({
      key,
      source: { role, launchpad } as LogSource,
      block,
    })),
    fc.tuple(address, launchpad, block).map(
      ([key, launchpad, block]): IndexedSource => ({
        key,
        source: { role: 'token', launchpad, token: key },
        block,
      }),
    ),
    fc.tuple(fc.oneof(address, hexOf(32)), launchpad, address, facts, tokenDecimals, block).map(
      ([key, launchpad, token, pool, tokenDecimals, block]): IndexedSource => ({
        key,
        source: { role: 'pool', launchpad, token, pool: { ...pool, address: key }, tokenDecimals },
        block,
      }),
    ),
    fc.tuple(address, launchpad, facts, tokenDecimals, block).map(
      ([key, launchpad, pool, tokenDecimals, block]): IndexedSource => ({
        key,
        source: { role: 'tokenCurve', launchpad, token: key, pool: { ...pool, address: key }, tokenDecimals },
        block,
      }),
    ),
    fc.tuple(address, hexOf(32), launchpad, address, address, facts, block).map(
      ([locker, id, launchpad, token, poolAddress, pool, block]): IndexedSource => ({
        key: positionKey(locker, id),
        source: { role: 'position', launchpad, token, pool: { ...pool, address: poolAddress } },
        block,
      }),
    ),
  )
  const key = fc.oneof(hexOf(20), hexOf(32), hexOf(52))
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(indexedSource, fc.boolean()).map(([one, packed]): Step => ({ kind: 'put', one, packed })) },
    { weight: 1, arbitrary: key.map((key): Step => ({ kind: 'remove', key })) },
    { weight: 1, arbitrary: block.map((last): Step => ({ kind: 'forget', last })) },
    { weight: 3, arbitrary: fc.tuple(key, block).map(([key, last]): Step => ({ kind: 'get', key, last })) },
  )
}
