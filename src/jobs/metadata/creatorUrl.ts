import { isIP } from 'node:net'
import { isPublicAddress } from './publicAddress.ts'

export interface CreatorUrlRules {
  readonly allowHttp: boolean
  /** The allowed port of each scheme. Default 443 and 80. */
  readonly ports?: { readonly https: number; readonly http: number }
}

const DEFAULT_PORTS = { https: 443, http: 80 }
/** Names of private networks (RFC 6761, RFC 8375, ICANN's private-use domain), and `onion`, which needs a proxy. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|test|invalid)$/

/**
 * Whether the server, or a visitor's browser, may open a creator's URL. Other schemes and ports, credentials, and private names and
 * addresses in any notation are refused. The addresses of a name are checked when it is resolved.
 */
export function isCreatorUrl(url: URL, { allowHttp, ports = DEFAULT_PORTS }: CreatorUrlRules): boolean {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowHttp)) return false
  if (url.username !== '' || url.password !== '') return false
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  if (Number(url.port === '' ? DEFAULT_PORTS[scheme] : url.port) !== ports[scheme]) return false
  const host = hostOf(url)
  if (isIP(host) !== 0) return isPublicAddress(host)
  return host.includes('.') && !PRIVATE_NAMES.test(host)
}

/** The host name without a trailing dot, or the IP address without brackets. The URL parser has normalised every notation of IPv4. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
