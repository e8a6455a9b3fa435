import { isIP } from 'node:net'
import { accept, commaList, type Parsed, refuse, type Setting } from './settings.ts'

const OWN_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/** `RPC_URLS`. No part of an entry is repeated in a message: keys stand in any of them. */
export const rpcUrls: Setting<readonly string[]> = {
  expected: 'a comma list of http://, https://, ws:// or wss:// addresses of nodes of the chain to index',
  parse: text => {
    const entries = commaList(text)
    const wrong = entries.findIndex(entry => !isUrl(entry, ['http:', 'https:', 'ws:', 'wss:']))
    if (wrong !== -1) return refuse(`entry ${wrong + 1} is not one`)
    return entries.length === 0 ? refuse('it holds none') : accept(entries)
  },
  secret: true,
}

/** The base address of a price provider, without a slash at its end. */
export const providerUrl: Setting<string> = {
  expected: 'an http:// or https:// address without credentials, query or fragment',
  parse: text => {
    if (!isUrl(text, ['http:', 'https:'])) return refuse()
    const { username, password, search, hash } = new URL(text)
    return username + password + search + hash === '' ? accept(text.replace(/[/?#]+$/, '')) : refuse()
  },
  secret: true,
}

/** Each may cost the time of a whole request before the next one is asked. */
const MOST_GATEWAYS = 5

/** `IPFS_GATEWAYS` and `ARWEAVE_GATEWAYS`, without a slash or `/ipfs` at their ends. A path may hold a key and is not repeated in a message. */
export const gatewayUrls: Setting<readonly string[]> = {
  expected: `a comma list of at most ${MOST_GATEWAYS} http:// or https:// addresses of gateways, without credentials, query or fragment`,
  parse: text => {
    const gateways: string[] = []
    for (const [index, entry] of commaList(text).entries()) {
      const url = providerUrl.parse(entry)
      if (!url.ok) return refuse(`entry ${index + 1} is not one`)
      gateways.push(url.value.replace(/\/ipfs$/i, ''))
    }
    if (gateways.length === 0) return refuse('it holds none')
    return gateways.length > MOST_GATEWAYS ? refuse(`it holds ${gateways.length}`) : accept(gateways)
  },
  secret: true,
}

/** An address that everybody may see, without a slash at its end. */
export const publicUrl: Setting<string> = { expected: providerUrl.expected, parse: providerUrl.parse }

/** A path of plain segments, without a slash at its end. */
export const pathPrefix: Setting<string> = {
  expected: 'a path such as /tokenwire, of letters, digits and . _ ~ - between its slashes',
  parse: text => (/^(?:\/[\w.~-]+)+\/?$/.test(text) && !/\/\.{1,2}(?:\/|$)/.test(text) ? accept(text.replace(/\/$/, '')) : refuse()),
}

export const databaseUrl: Setting<string> = {
  expected: 'postgresql://user:password@host:port/database, special characters of the password percent-encoded',
  parse: text => (isUrl(text, ['postgres:', 'postgresql:']) ? accept(text) : refuse()),
  secret: true,
}

/** What to listen on: an IP address, IPv6 without brackets, or a host name. */
export const listenHost: Setting<string> = {
  expected: 'an IP address or host name to listen on, without scheme and port',
  parse: text => (isIP(text) !== 0 || isHostName(text) ? accept(text) : refuse()),
}

export const allowedOrigins: Setting<readonly string[]> = {
  expected: 'a comma list of origins such as https://app.example.com, https://*.example.com or http://localhost:*, or * alone',
  parse: text => {
    const entries = commaList(text)
    if (entries.length === 0) return refuse('it holds none')
    if (entries.includes('*')) return entries.length === 1 ? accept(entries) : refuse('* stands beside others')
    const patterns: string[] = []
    for (const entry of entries) {
      const pattern = parseOriginPattern(entry)
      if (!pattern.ok) return refuse(`"${entry.slice(0, 80)}" ${pattern.because ?? 'is not one'}`)
      patterns.push(pattern.value)
    }
    return accept(patterns)
  },
}

/**
 * Reads one origin in which `*` may stand for the port or inside a subdomain, but not in what somebody else could register
 * (`https://*.com`).
 *
 * @returns the pattern as browsers write origins: lower case, without the scheme's own port
 */
export function parseOriginPattern(text: string): Parsed<string> {
  const match = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^/:?#@[\]\s]+)(?::(\*|\d{1,5}))?(.*)$/.exec(text.toLowerCase())
  if (match === null) return refuse('is not a scheme such as https:// and a host')
  const [, scheme = '', host = '', port = '', rest = ''] = match
  if (rest.startsWith('/')) return refuse('has a path: an origin ends with its host or port')
  if (rest !== '' || (port !== '*' && Number(port) > 65_535)) return refuse('has something else than a port after its host')
  const labels = host.split('.')
  if (labels.slice(labels.at(-1) === 'localhost' ? -1 : -2).some(label => label.includes('*')))
    return refuse('has its * elsewhere than inside a subdomain')
  if (!(host.startsWith('[') ? isIP(host.slice(1, -1)) === 6 : isHostName(host.replaceAll('*', 'x')))) return refuse('has no valid host')
  return accept(`${scheme}://${host}${port === '' || port === OWN_PORTS[scheme] ? '' : `:${port}`}`)
}

function isUrl(text: string, schemes: readonly string[]): boolean {
  return !/\s/.test(text) && URL.canParse(text) && schemes.includes(new URL(text).protocol)
}

function isHostName(text: string): boolean {
  return text.length <= 253 && text.split('.').every(label => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
}
