import { expect, it } from 'vitest'
import { mutantsOf } from './mutantsOf.ts'

const changesOf = (source: string) =>
  mutantsOf('a.ts', source, 1).map(mutant => source.slice(0, mutant.start) + mutant.new + source.slice(mutant.end))

it.each([
  ['a = b < c', [';', 'a = b <= c']],
  ['a(b && !c)', [';', 'a(b || !c)', 'a(b && c)']],
  ['if (a) b()', ['if (true) b()', 'if (false) b()', 'if (a) ;']],
  ['const a: true = list.some(is.constructor)', ['const a: true = list.every(is.constructor)']],
  ['const a = `x` + b', []],
  ['while (a < b) a++', []],
  ['export type A = (b: 1) => true', []],
])('%s has the mutants %j', (source, changes) => {
  expect(changesOf(source)).toEqual(changes)
})

it('a mutant keeps its rank when other lines change', () => {
  const ranks = (source: string) => mutantsOf('a.ts', source, 1).map(({ rank }) => rank)
  expect(ranks('const x = 1\n\nif (a) b = 2')).toEqual(ranks('if (a) b = 2'))
  expect(new Set(ranks('a = b + c\na = b + c')).size).toBe(4)
})
