import { describe, expect, it } from 'vitest'
import { parseApiKeys, readApiKeys } from '#configuration/apiKeys.ts'

const HASH = 'ab'.repeat(32)
const KEY = `{ "name": "shop", "sha256": "${HASH}" }`
const fileOf = (...keys: readonly string[]) => `{\n  "keys": [\n    ${keys.join(',\n    ')}\n  ]\n}\n`

describe('a file of API keys', () => {
  it('is read with limits, origins and rights', () => {
    const page = `{ "name": "page", "sha256": "${'C'.repeat(64)}", "limits": { "requestsPerMinute": 0, "connections": 5 },
      "origins": ["HTTPS://Shop.example:443", "http://localhost:*"], "operator": true }`
    expect(parseApiKeys(fileOf(KEY, page))).toEqual({
      kind: 'valid',
      keys: [
        { name: 'shop', sha256: HASH },
        {
          name: 'page',
          sha256: 'c'.repeat(64),
          limits: { requestsPerMinute: 0, connections: 5 },
          origins: ['https://shop.example', 'http://localhost:*'],
          operator: true,
        },
      ],
    })
    expect(parseApiKeys(`\uFEFF${fileOf()}`)).toEqual({ kind: 'valid', keys: [] })
  })

  it.each([
    ['', 'line 1, column 1: expected a value'],
    [fileOf(`${KEY},`), 'line 3, column 101: "," before "]"'],
    ['[]', 'line 1: expected an object with keys'],
    ['{ "key": [] }', 'line 1: '],
    [fileOf(KEY, '{\n  "name": "a b",\n  "sha256": 7 }'), 'line 5: keys[1].name: expected a name of 1 to 64 letters'],
    [fileOf(KEY, '{\n  "name": "a"\n }'), 'line 4: keys[1].sha256: missing, expected the SHA-256'],
    [fileOf(`{ "name": "a", "sha256": "${HASH}",\n "limits": { "requestsPerMinute": -1 } }`), 'line 4: keys[0].limits.requestsPerMinute: '],
    [fileOf(`{ "name": "a", "sha256": "${HASH}",\n "limits": { "perMinute": 1 } }`), 'line 4: keys[0].limits: unknown field perMinute'],
    [
      fileOf(`{ "name": "a", "sha256": "${HASH}",\n "origins": [\n"https://a.example",\n"https://b.example/x" ] }`),
      'line 6: keys[0].origins[1]: ',
    ],
    [fileOf(`{ "name": "a", "sha256": "${HASH}",\n "operator": "yes" }`), 'line 4: keys[0].operator: expected true or false, got "yes"'],
    [fileOf(KEY, `{ "name": "other", "sha256": "${HASH.toUpperCase()}" }`), 'line 4: sha256 is that of the key in line 3 already'],
  ])('%j is refused: %s', (text, problem) => {
    const parsed = parseApiKeys(text)
    expect(parsed.kind === 'valid' ? [] : parsed.problems).toEqual(expect.arrayContaining([expect.stringContaining(problem)]))
  })

  it('is refused without repeating a key that stands in place of its hash', () => {
    const secret = `tw_${'s'.repeat(43)}`
    expect(JSON.stringify(parseApiKeys(fileOf(`{ "name": "a", "sha256": "${secret}" }`)))).not.toContain(secret)
    expect(JSON.stringify(parseApiKeys(fileOf(`{ "name": "${secret}", "sha256": "${HASH}" }`)))).not.toContain(secret)
  })

  it('that can not be read is refused with the cause', () => {
    const read = (code: string) =>
      readApiKeys('keys.json', () => {
        throw Object.assign(new Error(), { code })
      })
    expect(read('ENOENT')).toEqual({ kind: 'invalid', problems: [expect.stringContaining('does not exist')] })
    expect(read('EACCES')).toEqual({
      kind: 'invalid',
      problems: [expect.stringMatching(/^it can't be read \(EACCES\); let the user .* read it/)],
    })
    // Kubernetes mounts a folder where a ConfigMap lacks the key of a subPath.
    expect(readApiKeys(import.meta.dirname)).toEqual({
      kind: 'invalid',
      problems: [expect.stringMatching(/\(EISDIR\): it is a folder.*subPath/)],
    })
  })
})
