import { isIP } from 'node:net'
import { z } from 'zod'
import { isPercentEncoded } from '#domain/text.ts'
import { commaList, refuse } from './settingTypes.ts'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/** No entry is repeated in a message: API keys may stand in any part of it. */
export const rpcUrls = commaList('a comma list of http://, https://, ws:// or wss:// addresses of nodes of the chain to index').check(
  context => {
    refuseEntries(context, entry => hasScheme(entry, ['http:', 'https:', 'ws:', 'wss:']))
    refuseBarePercents(context)
  },
)

export const baseUrl = z
  .string({ error: 'an http:// or https:// address without credentials, query or fragment' })
  .refine(isBaseUrl)
  .overwrite(withoutEnd)

/** Few, because each gateway may use up the time limit of a request before the next one is tried. */
const MAX_GATEWAYS = 5

/** Gateways of `ipfs://` or `ar://`, without a slash or `/ipfs` at their ends. Their paths may contain a key. */
export const gatewayUrls = commaList(
  `a comma list of at most ${MAX_GATEWAYS} http:// or https:// addresses of gateways, without credentials, query or fragment`,
)
  .check(context => {
    refuseEntries(context, isBaseUrl)
    if (context.issues.length === 0 && context.value.length > MAX_GATEWAYS) refuse(context, `it holds ${context.value.length}`)
  })
  .overwrite(entries => entries.map(entry => withoutEnd(entry).replace(/\/ipfs$/i, '')))

/** A path of plain segments, without a trailing slash. */
export const pathPrefix = z
  .string({ error: 'a path such as /tokenwire, of letters, digits and . _ ~ - between its slashes' })
  .regex(/^(?:\/[\w.~-]+)+\/?$/)
  .refine(text => !/\/\.{1,2}(?:\/|$)/.test(text))
  .overwrite(text => text.replace(/\/$/, ''))

const SEVERAL_HOSTS =
  'it names several hosts: name one that leads to the primary, such as that of HAProxy or of a managed service, whose address may change'

const CUT_PASSWORD = 'it has an @ or a # after its host: write / ? # @ of a password, or of a name, as %2F %3F %23 %40'

export const databaseUrl = z
  .string({ error: 'postgresql://user:password@host:port/database, special characters of the password percent-encoded' })
  .check(context => {
    const [, authority = '', rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/is.exec(context.value) ?? []
    if (isCutPassword(rest)) refuse(context, CUT_PASSWORD)
    else if (namesSeveralHosts(authority)) refuse(context, SEVERAL_HOSTS)
  })
  .refine(text => hasScheme(text, ['postgres:', 'postgresql:']))

/** libpq takes URLs with several hosts, some with a port each; the driver takes one. */
function namesSeveralHosts(authority: string): boolean {
  return authority.slice(authority.lastIndexOf('@') + 1).includes(',')
}

/** Whether what follows the host may be the end of a password, which then began as the host's port. */
function isCutPassword(rest: string): boolean {
  const [beforeValues = ''] = rest.split('=')
  return beforeValues.includes('@') || rest.includes('#')
}

export const natsUrls = commaList('a comma list of nats:// or tls:// addresses of one NATS cluster').check(context => {
  refuseEntries(context, entry => hasScheme(entry, ['nats:', 'tls:']))
  refuseBarePercents(context)
  if (context.issues.length > 0) return
  // The client logs on to each server in the same way.
  const given = context.value.map(entry => new URL(entry)).filter(({ username }) => username !== '')
  const users = new Set(given.map(({ username, password }) => JSON.stringify([username, password])))
  if (users.size > 1) refuse(context, 'its entries have different users or passwords: the servers of a cluster take the same')
})

/** An IP address, IPv6 without brackets, or a host name. */
export const listenHost = z
  .string({ error: 'an IP address or host name to listen on, without scheme and port' })
  .refine(text => isIP(text) !== 0 || isHostName(text))

export const allowedOrigins = commaList(
  'a comma list of origins such as https://app.example.com, https://*.example.com or http://localhost:*, or * alone',
)
  .check(context => {
    const { value: entries } = context
    if (entries.length === 0) return refuse(context, 'it holds none')
    if (entries.includes('*')) return entries.length === 1 ? undefined : refuse(context, '* stands beside others')
    for (const entry of entries) {
      const parsed = parseOriginPattern(entry)
      if (parsed.kind === 'invalid') return refuse(context, `"${entry.slice(0, 80)}" ${parsed.reason}`)
    }
  })
  .overwrite(entries =>
    entries.map(entry => {
      const parsed = parseOriginPattern(entry)
      return parsed.kind === 'valid' ? parsed.pattern : entry
    }),
  )

/**
 * Reads one origin in which `*` may stand for the port or inside a subdomain, but not in a part that others could register
 * (`https://*.com`).
 *
 * @returns the pattern as browsers write origins: lower case, without the scheme's default port
 */
export function parseOriginPattern(
  text: string,
): { readonly kind: 'valid'; readonly pattern: string } | { readonly kind: 'invalid'; readonly reason: string } {
  const because = (reason: string) => ({ kind: 'invalid', reason }) as const
  const match = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^/:?#@[\]\s]+)(?::(\*|\d{1,5}))?(.*)$/.exec(text.toLowerCase())
  if (match === null) return because('is not a scheme such as https:// and a host')
  const [, scheme = '', host = '', port = '', rest = ''] = match
  if (rest.startsWith('/')) return because('has a path: an origin ends with its host or port')
  if (rest !== '' || (port !== '*' && Number(port) > 65_535)) return because('has something else than a port after its host')
  const labels = host.split('.')
  if (labels.slice(labels.at(-1) === 'localhost' ? -1 : -2).some(label => label.includes('*')))
    return because('has its * elsewhere than inside a subdomain')
  if (!(host.startsWith('[') ? isIP(host.slice(1, -1)) === 6 : isHostName(host.replaceAll('*', 'x')))) return because('has no valid host')
  return { kind: 'valid', pattern: `${scheme}://${host}${port === '' || port === DEFAULT_PORTS[scheme] ? '' : `:${port}`}` }
}

function refuseEntries(context: z.core.ParsePayload<readonly string[]>, isRight: (entry: string) => boolean): void {
  const wrong = context.value.findIndex(entry => !isRight(entry))
  if (context.value.length === 0) refuse(context, 'it holds none')
  else if (wrong !== -1) refuse(context, `entry ${wrong + 1} is not one`)
}

/** User and password are percent-decoded when they are used, which would fail then. */
function refuseBarePercents(context: z.core.ParsePayload<readonly string[]>): void {
  if (context.issues.length > 0) return
  const wrong = context.value.findIndex(entry => {
    const { username, password } = new URL(entry)
    return !isPercentEncoded(username + password)
  })
  if (wrong !== -1)
    refuse(
      context,
      `user or password of entry ${wrong + 1} has a % that is not followed by two hex digits of UTF-8; write a percent sign as %25`,
    )
}

function isBaseUrl(text: string): boolean {
  if (!hasScheme(text, ['http:', 'https:'])) return false
  const { username, password, search, hash } = new URL(text)
  return username + password + search + hash === ''
}

function withoutEnd(url: string): string {
  return url.replace(/[/?#]+$/, '')
}

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return !/\s/.test(text) && URL.canParse(text) && schemes.includes(new URL(text).protocol)
}

function isHostName(text: string): boolean {
  return text.length <= 253 && text.split('.').every(label => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
}
