import { isCreatorUrl } from './creatorUrl.ts'
import type { MetadataUri } from './metadataUri.ts'

/** The operator's gateways, base addresses without a slash at the end, in the order in which they are asked. */
export interface Gateways {
  readonly ipfs: readonly string[]
  readonly arweave: readonly string[]
}

/** Where a document may be had. */
export interface Location {
  readonly url: URL
  /** Its name in logs (`ipfs-1`) when it is a gateway of the operator's, which may be anywhere; `null`: a creator named it. */
  readonly gateway: string | null
}

/** Every place to look for the document, in order. */
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

/**
 * The first gateway that may be told to the world: `https` on its own port, by a public name, without a path, in which a key might stand.
 * `null`: there is none.
 */
export function publicGateway(bases: readonly string[]): string | null {
  const isPublic = (url: URL) => url.protocol === 'https:' && url.pathname === '/' && isCreatorUrl(url, { allowHttp: false })
  return bases.find(base => isPublic(new URL(base))) ?? null
}
