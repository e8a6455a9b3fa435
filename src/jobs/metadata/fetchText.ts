import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { parseRetryAfter } from '#async/retryAfter.ts'
import { type Failure, failure, type MetadataProblem } from './failure.ts'
import { hostOf, isCreatorUrl, type Outbound, type RequestTarget, sendRequest } from './outbound.ts'

type Fetched = { readonly kind: 'text'; readonly text: string } | Failure

export interface FetchOptions {
  readonly outbound: Outbound
  readonly allowHttp: boolean
  readonly signal: AbortSignal
}

const RATE_LIMIT_MS = 60_000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Fetches a small text within all limits. The URL of the request and of each redirect is checked. Never rejects. */
export async function fetchText(location: Location, options: FetchOptions): Promise<Fetched> {
  const { signal, outbound } = options
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  const timer = setTimeout(abort, outbound.limits.wholeMs)
  try {
    return await follow(location, options, controller.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

async function follow({ url, gateway }: Location, { outbound, allowHttp }: FetchOptions, deadline: AbortSignal): Promise<Fetched> {
  const { limits, ports } = outbound
  let target: RequestTarget = { url, trusted: gateway !== null }
  for (let redirects = 0; redirects <= limits.maxRedirects; redirects++) {
    if (!target.trusted && !isCreatorUrl(target.url, { allowHttp, ports })) {
      return redirects === 0 ? failure('forbidden_url') : FORBIDDEN_REDIRECT
    }
    const answer = await sendRequest(target, outbound, deadline)
    const isRedirect = answer.kind === 'response' && REDIRECTS.has(answer.response.statusCode ?? 0)
    if (!isRedirect) {
      const fetched = answer.kind === 'response' ? await read(answer.response, limits.maxBytes, deadline) : answer
      return fetched.kind === 'text' || redirects === 0 ? fetched : { ...fetched, afterRedirect: true }
    }
    answer.response.destroy()
    const next = redirected(target, answer.response.headers.location)
    if (next === null) return FORBIDDEN_REDIRECT
    target = next
  }
  return FORBIDDEN_REDIRECT
}

const FORBIDDEN_REDIRECT: Failure = { ...failure('forbidden_redirect'), afterRedirect: true }

async function read(response: IncomingMessage, maxBytes: number, deadline: AbortSignal): Promise<Fetched> {
  const status = response.statusCode ?? 0
  if (status === 200) return readBody(response, maxBytes, deadline)
  response.destroy()
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now())
  if (status === 404 || status === 410) return failure('not_found')
  if (status === 429) return failure('rate_limited', retryAfterMs ?? RATE_LIMIT_MS)
  if (status >= 500 || status === 408 || status === 425) return failure('server_error', retryAfterMs)
  return failure('denied')
}

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

/** Encodings that servers use even though the request asks for none. A body with several encodings is not read. */
const UNPACK: Readonly<Record<string, Unpack>> = {
  '': async bytes => bytes,
  identity: async bytes => bytes,
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** The media types of JSON, and the types that servers give to files of an unknown type. */
const TYPES = /^(?:$|application\/(?:json|[\w.-]+\+json|octet-stream|x-ndjson)|binary\/octet-stream|text\/(?:plain|json|x-json))$/

/** Reads a body as UTF-8 with U+FFFD for invalid bytes. Packed and unpacked, it may have `maxBytes`. Ends the connection. */
async function readBody(response: IncomingMessage, maxBytes: number, deadline: AbortSignal): Promise<Fetched> {
  const type = (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const unpack = UNPACK[(response.headers['content-encoding'] ?? '').trim().toLowerCase()]
  if (!TYPES.test(type) || unpack === undefined) {
    response.destroy()
    return failure('wrong_type')
  }
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // An early return from the loop destroys the response, and with it the connection.
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return failure('too_large')
      chunks.push(chunk)
    }
  } catch {
    return failure(deadline.aborted ? 'too_slow' : 'no_connection')
  }
  try {
    const body = await unpack(Buffer.concat(chunks), { maxOutputLength: maxBytes })
    return { kind: 'text', text: new TextDecoder().decode(body) }
  } catch (error) {
    return failure(isTooLarge(error) ? 'too_large' : 'wrong_type')
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

/**
 * The target of a redirect, before the checks of a creator's URL. A gateway stays trusted on its own host and on its subdomains, with the
 * same port and scheme: IPFS gateways redirect each content to a subdomain.
 *
 * @returns `null`: there is no valid location, or it has another scheme or credentials, or leads from https to http
 */
export function redirected({ url, trusted }: RequestTarget, location: string | undefined): RequestTarget | null {
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

/** The base URLs of each network's gateways, without a trailing slash, in order of preference. */
export interface Gateways {
  readonly ipfs: readonly string[]
  readonly arweave: readonly string[]
}

/** A place where a document may be. */
export interface Location {
  readonly url: URL
  /** The name of the operator's gateway in logs (`ipfs-1`), which may have any address; `null`: a creator's URL. */
  readonly gateway: string | null
}

type ContentUri = Extract<MetadataUri, { readonly kind: 'ipfs' | 'arweave' }>

/** The places where a document may be, in order: a creator's own URL, or each gateway of its network. */
export function locate(uri: ContentUri | Extract<MetadataUri, { readonly kind: 'web' }>, gateways: Gateways): readonly Location[] {
  if (uri.kind === 'web') return [{ url: uri.url, gateway: null }]
  return gateways[uri.kind].map((base, index) => ({ url: new URL(gatewayUrl(base, uri)), gateway: `${uri.kind}-${index + 1}` }))
}

/** The URL of a content at a gateway. */
export function gatewayUrl(base: string, { kind, path }: ContentUri): string {
  return kind === 'ipfs' ? `${base}/ipfs/${path}` : `${base}/${path}`
}

/** The first gateway that may be published: its URL is `https` on port 443 with a public name, and no path, which may have a key. */
export function publicGateway(bases: readonly string[]): string | null {
  const isPublic = (url: URL) => url.protocol === 'https:' && url.pathname === '/' && isCreatorUrl(url, { allowHttp: false })
  return bases.find(base => isPublic(new URL(base))) ?? null
}

/** A parsed metadata or image URI. Paths are encoded, without `.` and `..`. */
export type MetadataUri =
  | { readonly kind: 'text'; readonly text: string }
  /** `path`: the content identifier and an optional path below it. */
  | { readonly kind: 'ipfs'; readonly path: string }
  /** `path`: the transaction id and an optional path below it. */
  | { readonly kind: 'arweave'; readonly path: string }
  | { readonly kind: 'web'; readonly url: URL }
  | { readonly kind: 'none'; readonly problem: Extract<MetadataProblem, 'malformed' | 'unsupported'> }
