import type { LinkKind, TokenDocument, TokenLink } from '#domain/metadata.ts'
import { cleanText, TEXT_LIMITS } from '#domain/text.ts'
import { type Gateways, gatewayUrl, type MetadataUri, publicGateway } from './fetchText.ts'
import { hostOf, isCreatorUrl } from './outbound.ts'

const IMAGE_FIELDS = ['image', 'image_url', 'imageUrl', 'imageURI', 'imageUri', 'logoURI', 'logo', 'icon'] as const

type Fields = Readonly<Record<string, unknown>>

/** The bounds of links, which are part of each update of a token. */
const MAX_LINKS = 8
const MAX_LINK_LENGTH = 256
/** The kinds of links by their names in metadata documents. */
const NAMES: Readonly<Record<string, LinkKind>> = {
  website: 'website',
  external_url: 'website',
  external_link: 'website',
  homepage: 'website',
  twitter: 'x',
  x: 'x',
  telegram: 'telegram',
  discord: 'discord',
  farcaster: 'farcaster',
  github: 'github',
  medium: 'other',
  instagram: 'other',
  tiktok: 'other',
  youtube: 'other',
  reddit: 'other',
}
/** The sites that a kind stands for. A link that is called `x` and leads elsewhere would be shown as a link to X. */
const SITES: Readonly<Partial<Record<LinkKind, readonly string[]>>> = {
  x: ['x.com', 'twitter.com'],
  telegram: ['t.me', 'telegram.me'],
  discord: ['discord.gg', 'discord.com'],
  farcaster: ['farcaster.xyz', 'warpcast.com'],
  github: ['github.com'],
}
/** Fields that may have an object of links by name, and fields that may have a list of links. */
const GROUPS = ['links', 'socials', 'social', 'extensions', 'properties']
const LISTS = ['socialMediaUrls', 'links', 'socials']

/** The parts of a metadata document that are kept. Invalid parts are left out. `null`: the text is no JSON object. */
export function readDocument(
  text: string,
  { gateways, allowHttp }: { readonly gateways: Gateways; readonly allowHttp: boolean },
): TokenDocument | null {
  const document = parseObject(text)
  if (document === null) return null
  const { description } = document
  const images = IMAGE_FIELDS.map(name => document[name]).filter(value => typeof value === 'string')
  return {
    imageUrl: firstOf(images, image => toImageUrl(image, gateways, allowHttp)),
    description: typeof description === 'string' ? cleanText(description.trim(), TEXT_LIMITS.description) : null,
    links: readLinks(document),
  }
}

function parseObject(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

function firstOf<T, R>(values: readonly T[], read: (value: T) => R | null): R | null {
  for (const value of values) {
    const result = read(value)
    if (result !== null) return result
  }
  return null
}

/** The links of a metadata document, each URL once, at most 8. */
function readLinks(document: Fields): readonly TokenLink[] {
  const named = [document, ...GROUPS.map(name => document[name]).filter(isFields)].flatMap(byName)
  const listed = LISTS.map(name => document[name]).flatMap(list => (Array.isArray(list) ? list.slice(0, MAX_LINKS).flatMap(fromEntry) : []))
  const byUrl = new Map<string, TokenLink>()
  for (const link of [...named, ...listed]) if (!byUrl.has(link.url)) byUrl.set(link.url, link)
  return [...byUrl.values()].slice(0, MAX_LINKS)
}

function byName(fields: Fields): readonly TokenLink[] {
  return Object.entries(NAMES).flatMap(([name, kind]) => toLink(kind, Object.hasOwn(fields, name) ? fields[name] : null))
}

function fromEntry(entry: unknown): readonly TokenLink[] {
  if (!isFields(entry)) return toLink('other', entry)
  const label = ['platform', 'type', 'name', 'label'].map(name => entry[name]).find(value => typeof value === 'string')
  const platform = (label ?? '').toLowerCase()
  return toLink((Object.hasOwn(NAMES, platform) ? NAMES[platform] : undefined) ?? 'other', entry['url'])
}

function toLink(kind: LinkKind, value: unknown): readonly TokenLink[] {
  const url = typeof value === 'string' && value.length <= MAX_LINK_LENGTH ? URL.parse(value.trim()) : null
  if (url === null || !isCreatorUrl(url, { allowHttp: false }) || url.href.length > MAX_LINK_LENGTH) return []
  return [{ kind: leadsToSite(url, SITES[kind]) ? kind : 'other', url: url.href }]
}

/** Whether a URL is of one of the sites or their subdomains, or may be of any. */
function leadsToSite(url: URL, sites: readonly string[] | undefined): boolean {
  return sites === undefined || sites.some(site => `.${hostOf(url)}`.endsWith(`.${site}`))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The longest image URL: longer than any in use, with room for everything else in an update of 16 KB. */
const MAX_URL_LENGTH = 2_048
/** The longest `data:` image, in bytes as JSON: enough for an icon. */
const MAX_DATA_BYTES = 4_096
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,][^\0-\x1f]*$/i

/**
 * The URL of an image for a front end: a creator's URL that is allowed, `ipfs://` and `ar://` through the first gateway that may be
 * published (without one, as they are), or a small `data:` image. `null` for anything else.
 */
function toImageUrl(text: string, gateways: Gateways, allowHttp: boolean): string | null {
  const trimmed = text.trim()
  if (/^data:/i.test(trimmed)) return isSmallImage(trimmed) ? trimmed : null
  const url = toUrl(trimmed, gateways, allowHttp)
  return url === null || url.length > MAX_URL_LENGTH ? null : url
}

function isSmallImage(text: string): boolean {
  if (text.length > MAX_DATA_BYTES || !text.isWellFormed() || !DATA_IMAGE.test(text)) return false
  return Buffer.byteLength(JSON.stringify(text)) <= MAX_DATA_BYTES
}

function toUrl(text: string, gateways: Gateways, allowHttp: boolean): string | null {
  const uri = parseMetadataUri(text)
  if (uri.kind === 'text' || uri.kind === 'none') return null
  if (uri.kind === 'web') return isCreatorUrl(uri.url, { allowHttp }) ? uri.url.href : null
  const gateway = publicGateway(gateways[uri.kind])
  if (gateway !== null) return gatewayUrl(gateway, uri)
  return `${uri.kind === 'ipfs' ? 'ipfs' : 'ar'}://${uri.path}`
}

/** CIDs in the bases in use (https://github.com/multiformats/cid). The gateway checks the rest. */
const CID =
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|[bB][A-Za-z2-7]{50,120}|z[1-9A-HJ-NP-Za-km-z]{40,120}|k[0-9a-z]{40,120}|[fF][0-9A-Fa-f]{60,150})$/
/** The id of an Arweave transaction: 32 bytes in base64url. */
const TRANSACTION = /^[A-Za-z0-9_-]{43}$/

/**
 * Parses the forms in use: `ipfs://` (also `ipfs://ipfs/`, `/ipfs/` and a bare CID), `ar://`, `http(s)://`, `data:`, and the JSON itself.
 */
export function parseMetadataUri(uri: string): MetadataUri {
  const text = uri.trim()
  if (text.startsWith('{')) return { kind: 'text', text }
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(text) ?? []
  switch (scheme?.toLowerCase()) {
    case 'data':
      return fromData(rest)
    case 'ipfs':
      return contentPath(rest.replace(/^\/*(?:ipfs\/+)?/, ''), CID, 'ipfs')
    case 'ar':
    case 'arweave':
      return contentPath(rest.replace(/^\/+/, ''), TRANSACTION, 'arweave')
    case 'https':
    case 'http': {
      const url = URL.parse(text)
      return url === null ? { kind: 'none', problem: 'malformed' } : { kind: 'web', url }
    }
    case undefined:
      return contentPath(text.replace(/^\/ipfs\//, ''), CID, 'ipfs')
    default:
      return { kind: 'none', problem: 'unsupported' }
  }
}

function fromData(rest: string): MetadataUri {
  const data = decodeDataUri(rest)
  if (data === null) return { kind: 'none', problem: 'malformed' }
  const isText = /^(?:$|text\/(?:plain|json)|application\/(?:json|[\w.+-]+\+json))$/.test(data.mediaType)
  return isText ? { kind: 'text', text: data.bytes.toString('utf8') } : { kind: 'none', problem: 'unsupported' }
}

/**
 * Decodes the part after `data:` (RFC 2397) leniently: creators write JSON with `#` and `%` that is not percent-encoded.
 *
 * @returns `null`: there is no comma, or the base64 is invalid
 */
function decodeDataUri(rest: string): { readonly mediaType: string; readonly bytes: Buffer } | null {
  const comma = rest.indexOf(',')
  if (comma === -1) return null
  const [mediaType = '', ...parameters] = rest.slice(0, comma).split(';')
  const bytes = percentDecode(rest.slice(comma + 1))
  const isBase64 = parameters.some(parameter => parameter.trim().toLowerCase() === 'base64')
  const content = isBase64 ? fromBase64(bytes.toString('latin1')) : bytes
  return content === null ? null : { mediaType: mediaType.trim().toLowerCase(), bytes: content }
}

function percentDecode(text: string): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const match of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) {
    parts.push(Buffer.from(text.slice(at, match.index)), Buffer.from(match[0].replaceAll('%', ''), 'hex'))
    at = match.index + match[0].length
  }
  parts.push(Buffer.from(text.slice(at)))
  return Buffer.concat(parts)
}

function fromBase64(text: string): Buffer | null {
  const digits = text.replaceAll(/\s/g, '')
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(digits) ? Buffer.from(digits, 'base64') : null
}

/** Decodes each part of the path and encodes it again, so that a gateway cannot read it differently. */
function contentPath(text: string, identifier: RegExp, kind: 'ipfs' | 'arweave'): MetadataUri {
  const [root = '', ...rest] = (text.split(/[?#]/, 1)[0] ?? '').split('/')
  const parts = rest.filter(part => part !== '').map(decode)
  if (!identifier.test(root) || parts.some(part => part === null || isUnsafe(part))) return { kind: 'none', problem: 'malformed' }
  return { kind, path: [root, ...parts.map(part => encodeURIComponent(part ?? ''))].join('/') }
}

function isUnsafe(part: string): boolean {
  return part === '.' || part === '..' || /[\\/\0]/.test(part) || !part.isWellFormed()
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
