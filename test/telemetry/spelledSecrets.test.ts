import { Buffer } from 'node:buffer'
import process from 'node:process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { secretPattern } from '#domain/secretPattern.ts'
import { redactor as rpcRedactor } from '#rpc/rpcEndpoint.ts'
import { createRedactor, secretsOf } from '#telemetry/redactor.ts'
import { insideBase64, spellings } from '#test/support/spellings.ts'

/*
 * A provider that repeated its request's headers in an error showed base64 of user and password in the public health: the log's redactor
 * knew that spelling, the chain's did not, and neither knew the others.
 */

/** Marks that some encoding treats in a way of its own, letters, digits, and what is no ASCII. */
const unit = fc.oneof(
  fc.constantFrom(...'"\\/+=&<>%?#@:;,$!\'()*~-_. \t\n'),
  fc.constantFrom(...'abcXYZ019'),
  fc.constantFrom('é', 'ß', '秘', '🔑', '\u2028'),
)
/** Of at least 8 bytes, and with a letter or digit, as keys are. */
const secret = fc
  .tuple(fc.string({ unit, minLength: 7, maxLength: 30 }), fc.constantFrom('k', 'Q', '7'))
  .map(([text, letter]) => letter + text + letter)

interface Redacting {
  readonly name: string
  /** What hides this password of a user of an RPC provider. */
  readonly redact: (password: string) => (text: string) => string
}

const urlOf = (password: string) => `https://alice:${encodeURIComponent(password)}@node.example/rpc`
const REDACTORS: readonly Redacting[] = [
  { name: 'the log', redact: password => createRedactor(secretsOf({ rpcUrls: [urlOf(password)] })).text },
  { name: 'the RPC access', redact: password => rpcRedactor(urlOf(password)) },
]

describe.each(REDACTORS)('$name hides', ({ redact }) => {
  it('a secret in every encoding', () => {
    fc.assert(
      fc.property(secret, password => {
        const clean = redact(password)
        for (const [name, spelled] of Object.entries(spellings(password))) {
          expect([name, clean(`key=${spelled} is wrong`)]).toEqual([name, expect.not.stringContaining(spelled)])
        }
      }),
    )
  })

  it('a secret inside a larger text in base64', () => {
    fc.assert(
      fc.property(secret, password => {
        const clean = redact(password)
        for (const { text, digits } of insideBase64(password)) expect(clean(text)).not.toContain(digits)
      }),
    )
  })

  it('user and password as Basic authentication sends them, however short', () => {
    for (const password of ['pw', 'p:w', 'opensesame', 'päss/+?>']) {
      const pair = `alice:${password}`
      for (const spelled of Object.values(spellings(pair))) expect(redact(password)(`(${spelled})`)).not.toContain(spelled)
    }
  })
})

describe('secretPattern', () => {
  it('is none without a secret', () => {
    expect(secretPattern([])).toBeNull()
    expect(secretPattern([''])).toBeNull()
  })

  it('finds a secret in a mixture of encodings, and the longer of two first', () => {
    const pattern = secretPattern(['a/b c', 'https://host/a/b c']) ?? /(?!)/
    expect('see https:\\/\\/host%2Fa/b+c, A%2fb c, a\\u002fb%20c'.replaceAll(pattern, '*')).toBe('see *, A%2fb c, *')
  })

  it('leaves other text alone', () => {
    const pattern = secretPattern(['opensesame123', 'p@ss"w\\o/rd']) ?? /(?!)/
    const text = `0x${'0123456789abcdef'.repeat(400)} ${Buffer.from('open the door, says me, one two three').toString('base64')}`
    expect(text.search(pattern)).toBe(-1)
  })

  it('finds a lone surrogate as it is written in UTF-8', () => {
    const pattern = secretPattern(['key\ud800key']) ?? /(?!)/
    for (const text of ['key\ud800key', 'key\ufffdkey', 'key%EF%BF%BDkey', 'key\\ud800key']) expect(text.replace(pattern, '*')).toBe('*')
  })

  it('is linear in a text of backslashes or escapes', () => {
    const pattern = secretPattern(['/v2/"\\', '///////////"', '%%%%%%%%']) ?? /(?!)/
    // Processor time: on a busy machine the clock goes on meanwhile.
    const before = process.cpuUsage()
    for (const text of ['\\', '%25', '\\u002f', '/']) expect(text.repeat(50_000).search(pattern)).toBeGreaterThanOrEqual(-1)
    const { user } = process.cpuUsage(before)
    expect(user / 1_000).toBeLessThan(5_000)
  })
})
