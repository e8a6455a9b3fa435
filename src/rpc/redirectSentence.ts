import { secretPattern } from '#domain/secretPattern.ts'

/** A shorter part of a path is a word ("v2", "mainnet"), not a key. */
const PATH_HIDDEN_FROM = 12
const LABEL_HIDDEN_FROM = 16
const TEXT_KEPT = 200

/**
 * Where an answer wants to send a request, for an operator who has to correct `RPC_URLS`: scheme, host and path of the new address, without
 * parts that may be a key. A redirect is not followed: most turn a POST into a GET, the others take the request and its key elsewhere.
 *
 * @param location the header of the answer, absolute or relative to `url`
 */
export function redirectSentence(location: string | null, url: string): string {
  const target = location === null ? null : URL.parse(location, url)
  if (target === null) return 'a redirect without an address'
  const { hostname, pathname, searchParams } = new URL(url)
  const parts = [...pathname.split('/').filter(isLong), ...hostname.split('.').filter(({ length }) => length >= LABEL_HIDDEN_FROM)]
  const keys = secretPattern([...parts, ...searchParams.values()])
  const path = target.pathname.split('/').map(part => (isLong(part) ? '<redacted>' : part))
  const shown = `${target.protocol}//${target.host}${path.join('/')}`
  const address = keys === null ? shown : shown.replaceAll(keys, '<redacted>')
  return `a redirect is not followed; RPC_URLS has to name the right address, which may be ${address}`.slice(0, TEXT_KEPT)
}

function isLong(part: string): boolean {
  return part.length >= PATH_HIDDEN_FROM
}
