import { describe, expect, test } from 'vitest'
import { withImage } from '#store/reads/toToken.ts'

const LIMIT = 200

describe('an image that is told apart from the metadata', () => {
  test('becomes part of a document, or is one', () => {
    expect(withImage('{"description":"d"}', 'ipfs://i', LIMIT)).toBe('{"description":"d","image":"ipfs://i"}')
    expect(withImage(' \n{"description":"d"}', 'ipfs://i', LIMIT)).toBe('{"description":"d","image":"ipfs://i"}')
    expect(withImage(null, 'ipfs://i', LIMIT)).toBe('{"image":"ipfs://i"}')
    expect(withImage('  ', 'ipfs://i', LIMIT)).toBe('{"image":"ipfs://i"}')
  })

  test.each([
    ['is a URI', 'ipfs://metadata'],
    ['is a list', '["ipfs://other"]'],
    ['is broken', '{"description":'],
    ['would be too long', `{"description":"${'d'.repeat(LIMIT - 30)}"}`],
  ])('leaves alone what %s', (_, metadata) => {
    expect(withImage(metadata, 'ipfs://a-longer-image-name', LIMIT)).toBe(metadata)
  })

  test.each(['{"image":"ipfs://other"}', '{"image":null}'])('takes the place of the one in %s', metadata => {
    expect(withImage(metadata, 'ipfs://i', LIMIT)).toBe('{"image":"ipfs://i"}')
  })

  test('that is not there changes nothing', () => {
    expect(withImage('{ "description": "d" }', null, LIMIT)).toBe('{ "description": "d" }')
    expect(withImage(null, null, LIMIT)).toBeNull()
  })

  test('is put into what is nested as deep as its length allows', () => {
    const deep = `{"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`
    expect(withImage(deep, 'i', 8_192)).toBe(`${deep.slice(0, -1)},"image":"i"}`)
    const deeper = `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    expect([withImage(deeper, 'i', 8_192), withImage(deeper, 'i', 2_000_000)]).toEqual([deeper, deeper])
  })

  test('leaves a document’s other names alone, whatever they are', () => {
    expect(withImage('{"__proto__":{"x":1},"a":[1,{"b":null}]}', 'i', LIMIT)).toBe('{"__proto__":{"x":1},"a":[1,{"b":null}],"image":"i"}')
  })
})
