import { isIP } from 'node:net'
import { hostOf } from './creatorUrl.ts'
import type { GetTarget } from './httpGet.ts'

/**
 * Where a redirect leads; whether a creator's URL may be that is not looked at. A gateway's trust reaches to its own host and the subdomains
 * below it, which IPFS gateways redirect to per content, on the same port and scheme. `null`: nowhere, out of the web, with credentials, or from
 * https to http.
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
