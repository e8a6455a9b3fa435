import { describe, expect, test } from 'vitest'
import { withImage } from '#launchpads/clankerV4.ts'

const LIMIT = 200

describe('an image that is told apart from the metadata', () => {
  test('becomes part of a document, or is one', () => {
    expect(withImage('{"description":"d"}', 'ipfs://i', LIMIT)).toBe('{"description":"d","image":"ipfs://i"}')
    expect(withImage(' \n{"description":"d"}', 'ipfs://i', LIMIT)).toBe('{"description":"d","image":"ipfs://i"}')
    expect(withImage('', 'ipfs://i', LIMIT)).toBe('{"image":"ipfs://i"}')
    expect(withImage('  ', 'ipfs://i', LIMIT)).toBe('{"image":"ipfs://i"}')
  })

  test.each([
    ['has an image of its own', '{"image":"ipfs://other"}'],
    ['says that it has none', '{"image":null}'],
    ['is a URI', 'ipfs://metadata'],
    ['is a list', '["ipfs://other"]'],
    ['is broken', '{"description":'],
    ['would be too long', `{"description":"${'d'.repeat(LIMIT - 30)}"}`],
  ])('leaves alone what %s', (_, metadata) => {
    expect(withImage(metadata, 'ipfs://a-longer-image-name', LIMIT)).toBe(metadata)
  })

  test('that is empty changes nothing', () => {
    expect(withImage('{ "description": "d" }', '', LIMIT)).toBe('{ "description": "d" }')
    expect(withImage('', '', LIMIT)).toBe('')
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
