import { isCreatorUrl } from './creatorUrl.ts'
import type { MetadataUri } from './metadataUri.ts'

/** Base URLs of the operator's gateways, without a slash at the end, in the order of use. */
export interface Gateways {
  readonly ipfs: readonly string[]
  readonly arweave: readonly string[]
}

/** A place where a document may be. */
export interface Location {
  readonly url: URL
  /** The operator's gateway by its name in logs (`ipfs-1`), which may have any address; `null`: a creator's URL. */
  readonly gateway: string | null
}

export function locate(uri: Exclude<MetadataUri, { readonly kind: 'text' | 'none' }>, gateways: Gateways): readonly Location[] {
  switch (uri.kind) {
    case 'web':
      return [{ url: uri.url, gateway: null }]
    case 'ipfs':
      return gateways.ipfs.map((base, index) => ({ url: new URL(`${base}/ipfs/${uri.path}`), gateway: `ipfs-${index + 1}` }))
    case 'arweave':
      return gateways.arweave.map((base, index) => ({ url: new URL(`${base}/${uri.path}`), gateway: `arweave-${index + 1}` }))
  }
}

/** The first gateway that may be published: `https` on port 443, with a public name, without a path, which might hold a key. */
export function publicGateway(bases: readonly string[]): string | null {
  const isPublic = (url: URL) => url.protocol === 'https:' && url.pathname === '/' && isCreatorUrl(url, { allowHttp: false })
  return bases.find(base => isPublic(new URL(base))) ?? null
}
