import { isIP } from 'node:net'
import { hostOf } from './creatorUrl.ts'
import type { GetTarget } from './httpGet.ts'

/**
 * The target of a redirect, without the checks of a creator's URL. A gateway stays trusted on its own host and, as IPFS gateways redirect
 * each content to one, on subdomains of it, with the same port and scheme.
 *
 * @returns `null` without a valid location, for another scheme, for credentials, and from https to http
 */
export function redirected({ url, trusted }: GetTarget, location: string | undefined): GetTarget | null {
  const next = location === undefined ? null : URL.parse(location, url.href)
  if (next === null || !['https:', 'http:'].includes(next.protocol)) return null
  if (url.protocol === 'https:' && next.protocol === 'http:') return null
  if (next.username !== '' || next.password !== '') return null
  return { url: next, trusted: trusted && isWithin(url, next) }
}

function isWithin(gateway: URL, next: URL): boolean {
  if (next.protocol !== gateway.protocol || next.port !== gateway.port) return false
  const [host, nextHost] = [hostOf(gateway), hostOf(next)]
  return nextHost === host || (isIP(host) === 0 && nextHost.endsWith(`.${host}`))
}
