import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonError } from '#configuration/json.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('findJsonError', () => {
  it('finds none in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'medium' }), fc.constantFrom(0, 2, '\t'), (text, indent) => {
        expect(findJsonError(JSON.stringify(JSON.parse(text), null, indent))).toBeNull()
      }),
    )
  })

  it('agrees with JSON.parse on damaged texts, bar keys given twice', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', '-', ' ', '\n', 'e', '/'))
      .map(([text, at, put]) => {
        const where = at % (text.length + 1)
        return text.slice(0, where) + put + text.slice(where + 1)
      })
    fc.assert(
      fc.property(damaged, text => {
        const error = findJsonError(text)
        if (error?.reason.endsWith('is given twice') === true) return
        expect(error === null).toBe(isJson(text))
      }),
      { numRuns: 2_000 },
    )
  })
})
