import type { LinkKind, TokenDocument, TokenLink } from '#domain/metadata.ts'
import { cleanText, TEXT_LIMITS } from '#domain/text.ts'
import { hostOf, isCreatorUrl } from './creatorUrl.ts'
import type { Gateways } from './gateways.ts'
import { toImageUrl } from './imageUrl.ts'

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
