import type { TokenLink } from '#domain/metadata.ts'
import { isCreatorUrl } from './creatorUrl.ts'

type Fields = Readonly<Record<string, unknown>>

const MOST_LINKS = 16
const MOST_URL_LENGTH = 2_048
/** Kinds by the names in metadata documents. */
const NAMES: Readonly<Record<string, string>> = {
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
  medium: 'medium',
  instagram: 'instagram',
  tiktok: 'tiktok',
  youtube: 'youtube',
  reddit: 'reddit',
}
/** Fields with an object of links by name, and fields with a list of links. */
const GROUPS = ['links', 'socials', 'social', 'extensions', 'properties']
const LISTS = ['socialMediaUrls', 'links', 'socials']

/** The links of a metadata document, each URL once, at most 16. */
export function readLinks(document: Fields): readonly TokenLink[] {
  const named = [document, ...GROUPS.map(name => document[name]).filter(isFields)].flatMap(byName)
  const listed = LISTS.map(name => document[name]).flatMap(list =>
    Array.isArray(list) ? list.slice(0, MOST_LINKS).flatMap(fromEntry) : [],
  )
  const byUrl = new Map<string, TokenLink>()
  for (const link of [...named, ...listed]) if (!byUrl.has(link.url)) byUrl.set(link.url, link)
  return [...byUrl.values()].slice(0, MOST_LINKS)
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

function toLink(kind: string, value: unknown): readonly TokenLink[] {
  const url = typeof value === 'string' && value.length <= MOST_URL_LENGTH ? URL.parse(value.trim()) : null
  if (url === null || !isCreatorUrl(url, { allowHttp: false }) || url.href.length > MOST_URL_LENGTH) return []
  return [{ kind, url: url.href }]
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
