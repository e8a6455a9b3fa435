import { expect, test } from 'vitest'
import { parseOriginPattern } from '#configuration/addresses.ts'
import { originTest } from '#gateway/keys.ts'

/** Through the configuration, as in production. */
function matches(pattern: string, origin: string): boolean {
  const parsed = parseOriginPattern(pattern)
  if (parsed.kind === 'invalid') throw new Error(`${pattern}: ${parsed.reason}`)
  return originTest([parsed.pattern])(origin)
}

test.for([
  ['https://example.com', 'https://example.com'],
  ['https://example.com', 'HTTPS://EXAMPLE.COM'],
  ['https://example.com:443', 'https://example.com'],
  ['http://example.com:8080', 'http://example.com:8080'],
  ['http://localhost:*', 'http://localhost'],
  ['http://localhost:*', 'http://localhost:5173'],
  ['http://[::1]:*', 'http://[::1]:3000'],
  ['https://*.example.com', 'https://a.example.com'],
  ['https://*.example.com', 'https://a.b-c.example.com'],
  ['https://pr-*.example.com', 'https://pr-12.example.com'],
  ['http://*.localhost:3000', 'http://app.localhost:3000'],
  ['chrome-extension://abcdefgh', 'chrome-extension://abcdefgh'],
] as const)('%s allows %s', ([pattern, origin]) => {
  expect(matches(pattern, origin)).toBe(true)
})

test.for([
  ['https://example.com', 'http://example.com'],
  ['https://example.com', 'https://example.com:8443'],
  ['https://example.com', 'https://example.com.evil.org'],
  ['https://example.com', 'https://evil.org/https://example.com'],
  ['https://example.com', 'https://exampleXcom'],
  ['https://example.com', 'null'],
  ['http://localhost:*', 'http://localhost:80.evil.org'],
  ['http://localhost:*', 'http://localhost.evil.org:80'],
  ['http://localhost:*', 'https://localhost:80'],
  ['https://*.example.com', 'https://example.com'],
  ['https://*.example.com', 'https://evil-example.com'],
  ['https://*.example.com', 'https://.example.com'],
  ['https://*.example.com', 'https://evil.org:1.example.com'],
  ['https://*.example.com', 'https://a.example.com:8443'],
  ['https://pr-*.example.com', 'https://pr-1.evil.example.com'],
  ['https://pr-*.example.com', 'https://main.example.com'],
] as const)('%s does not allow %s', ([pattern, origin]) => {
  expect(matches(pattern, origin)).toBe(false)
})

test('one of several patterns is enough, and * alone allows even null', () => {
  const several = originTest(['https://a.example.com', 'http://localhost:*'])
  expect([several('http://localhost:1'), several('https://a.example.com'), several('https://b.example.com')]).toEqual([true, true, false])
  expect(originTest(['*'])('null')).toBe(true)
})
