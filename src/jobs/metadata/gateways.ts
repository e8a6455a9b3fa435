import { isCreatorUrl } from './creatorUrl.ts'
import type { MetadataUri } from './metadataUri.ts'

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
