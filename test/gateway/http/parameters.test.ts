import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseParameters, parseQuery } from '#gateway/http/parameters.ts'
import { quote } from '#gateway/http/problem.ts'
import { integerParameter } from '#resources/parameters.ts'

test('reads what URLSearchParams writes', () => {
  const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })))
  fc.assert(
    fc.property(pairs, given => {
      const expected = new Map<string, string[]>()
      for (const [name, text] of given) expected.set(name, [...(expected.get(name) ?? []), text])
      expect(parseQuery(new URLSearchParams(given).toString())).toEqual({ kind: 'valid', texts: expected })
    }),
  )
})

test('never throws, whatever the query', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), query => {
      const parsed = parseQuery(query)
      expect(parsed.kind === 'valid' || parsed.problem.status === 400).toBe(true)
    }),
  )
})

test('reads an integer exactly when it is plain decimal digits within the bounds', () => {
  const schema = z.object({ limit: integerParameter(1, 100).default(50) })
  const given = fc.oneof(fc.integer({ min: -10, max: 120 }).map(String), fc.string())
  fc.assert(
    fc.property(given, text => {
      const parsed = parseParameters(schema, new Map([['limit', [text]]]))
      const expected = String(Number(text)) === text && Number(text) >= 1 && Number(text) <= 100 && Number.isInteger(Number(text))
      expect(parsed.kind === 'valid').toBe(expected)
      if (parsed.kind === 'valid') expect(parsed.values.limit).toBe(Number(text))
    }),
  )
  expect(parseParameters(schema, new Map())).toEqual({ kind: 'valid', values: { limit: 50 } })
})

test('repeats input in messages without anything that could act there', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), input => {
      const quoted = quote(input)
      expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
      expect([...(JSON.parse(quoted) as string)].length).toBeLessThanOrEqual(64)
    }),
  )
  expect(quote('a"b\\c')).toBe('"a\\"b\\\\c"')
})
