import { isIP } from 'node:net'
import { isPublicAddress } from './publicAddress.ts'

export interface CreatorUrlRules {
  readonly allowHttp: boolean
  /** The one port per scheme. Default: 443 and 80. */
  readonly ports?: { readonly https: number; readonly http: number }
}

const OWN_PORTS = { https: 443, http: 80 }
/** Names that mean something to this network only (RFC 6761, RFC 8375, ICANN's private-use domain), and one that needs a proxy. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|test|invalid)$/

/**
 * Whether a creator may send us, or a visitor's browser, to this URL, as far as its text tells; a name's addresses are another matter. Refused
 * are other schemes, credentials, other ports, IP addresses that are not public in any notation, and private names.
 */
export function isCreatorUrl(url: URL, { allowHttp, ports = OWN_PORTS }: CreatorUrlRules): boolean {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowHttp)) return false
  if (url.username !== '' || url.password !== '') return false
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  if (Number(url.port === '' ? OWN_PORTS[scheme] : url.port) !== ports[scheme]) return false
  const host = hostOf(url)
  if (isIP(host) !== 0) return isPublicAddress(host)
  return host.includes('.') && !PRIVATE_NAMES.test(host)
}

/** The host as a name without the root's dot, or an IP address without brackets; the URL parser has made dotted IPv4 of every notation. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
