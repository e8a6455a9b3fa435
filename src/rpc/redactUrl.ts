import { Buffer } from 'node:buffer'
import { secretPattern } from '#domain/secretPattern.ts'

const TEXT_KEPT = 200
/** A shorter part of a host or path is a word ("v2", "rpc", "base"), not a key. */
const WORD_HIDDEN_FROM = 8
/**
 * Credentials and query values are secrets even if they look like words. Hiding a secret of one letter would hide that letter everywhere.
 */
const SECRET_HIDDEN_FROM = 3

/**
 * A cleaner for what a provider writes: providers quote the URL, the host, the key or the headers they were asked with.
 *
 * @returns the text on one line, at most 200 characters, without any URL and without the long parts of `url` in any spelling of
 * `secretPattern`
 */
export function redactor(url: string): (text: string) => string {
  const pattern = secretPattern(partsOf(url))
  return text => {
    const withoutUrls = text.replace(/\b[a-z][a-z+.-]{1,10}:\/\/\S+/gi, '<url>')
    return (pattern === null ? withoutUrls : withoutUrls.replaceAll(pattern, '<redacted>'))
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, TEXT_KEPT)
  }
}

function partsOf(url: string): string[] {
  const parsed = URL.parse(url)
  if (parsed === null) return [url]
  const { host, hostname, username, password, pathname, searchParams } = parsed
  const words = [host, hostname, ...pathname.split('/')].filter(part => part.length >= WORD_HIDDEN_FROM)
  // A parameter without a value may be the key itself.
  const values = [...searchParams].map(([name, value]) => (value === '' ? name : value))
  const pair = `${decoded(username)}:${decoded(password)}`
  // The second is their form in the `Authorization` header.
  const pairs = pair === ':' ? [] : [pair, Buffer.from(pair).toString('base64')]
  const secrets = [username, password, ...pairs, ...values].filter(part => part.length >= SECRET_HIDDEN_FROM)
  return [...words, ...secrets].flatMap(part => [part, decoded(part)])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
