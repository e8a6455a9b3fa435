import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonText } from '#rpc/jsonText.ts'

const spaces = fc.constantFrom('', ' ', '\n\t', '\r\n  ')
/** What misleads who looks for brackets, commas and quotes, but for braces as they stand after an object. */
const strings = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '} ', '[', ']', ',', ':', 'é') })
const values = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    strings,
    fc.integer(),
    fc.constantFrom(true, false, null),
    fc.array(tie('value')),
    fc.dictionary(
      strings.filter(name => name !== '__proto__'),
      tie('value'),
    ),
  ),
})).value

describe('a JSON text', () => {
  it('is taken apart into what parsing gives', () => {
    fc.assert(
      fc.property(values, spaces, (value, space) => {
        const text = new JsonText(Buffer.from(space + JSON.stringify(value, null, space) + space))
        expect(text.parse()).toEqual(value)
        expect(text.elements()?.map(element => element.parse()) ?? null).toEqual(Array.isArray(value) ? value : null)
        const members = text.members()
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
        const named = members && Object.fromEntries([...members].map(([name, member]) => [name, member.parse()]))
        expect(named).toEqual(isObject ? value : null)
      }),
      { numRuns: 2_000 },
    )
  })

  it('passes over logs quickly and other objects carefully', () => {
    const lists = ['[{"a":"0x"},{"a":"0x"}]', '[{"calls":[{"logs":[{"a":"0x"}]}]},{"b":"},"}]', '[{"a":{"b":1}},{"c":"]"}]']
    for (const list of lists) {
      const text = new JsonText(Buffer.from(`{"result":${list},"id":7}`))
      expect(text.members()?.get('result')?.parse()).toEqual(JSON.parse(list))
      expect(text.members()?.get('id')?.parse()).toBe(7)
    }
  })

  it.each(['[1,2', '[1 2]', '[1,]', '{"a" 1}', '{"a":1,}', '{a:1}', '{"a":"b}', '[]]', '{} {}'])('refuses %s', broken => {
    const text = new JsonText(Buffer.from(broken))
    expect(() => text.elements()?.map(element => element.parse()) ?? text.members()).toThrow(SyntaxError)
  })

  // The price of passing over logs quickly.
  it('is refused where a text in a list of objects looks like the end of one', () => {
    expect(() => new JsonText(Buffer.from('{"result":[{"a":"}]"}]}')).members()).toThrow(SyntaxError)
  })

  it('of nothing is null', () => {
    expect(JsonText.of(undefined).parse()).toBeNull()
  })
})
