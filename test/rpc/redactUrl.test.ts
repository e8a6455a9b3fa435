import { describe, expect, it } from 'vitest'
import { redactor } from '#rpc/rpcEndpoint.ts'

describe('redactor', () => {
  it('hides every URL', () => {
    expect(redactor('http://node')('see https://docs.example.com/limits?x=1 and wss://other.example')).toBe('see <url> and <url>')
  })

  it('hides host, key, credentials and query values wherever they are quoted', () => {
    const redact = redactor('https://alice:pa%24s@base-mainnet.g.example.com/v2/AbCdEf0123456789?apikey=xyz')
    const quoted = redact('app AbCdEf0123456789 of alice (pa$s, pa%24s) at base-mainnet.g.example.com with xyz is over its limit')
    expect(quoted).toBe('app <redacted> of <redacted> (<redacted>, <redacted>) at <redacted> with <redacted> is over its limit')
  })

  it('leaves the words of a path alone', () => {
    expect(redactor('https://node.example.com/v2/rpc')('rpc v2 says no')).toBe('rpc v2 says no')
  })

  it('gives one line of bounded length', () => {
    const text = redactor('http://node.example')(`a\n\u0000b${'x'.repeat(100_000)}`)
    expect(text).toHaveLength(200)
    expect(text.startsWith('a bxx')).toBe(true)
  })

  it('does not fail on a broken escape or on what is no URL', () => {
    expect(redactor('https://node.example.com/%E0%A4%A')('fine')).toBe('fine')
    expect(redactor('not a url')('this is not a url at all')).toBe('this is <redacted> at all')
  })
})
