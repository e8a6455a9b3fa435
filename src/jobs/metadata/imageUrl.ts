import { isCreatorUrl } from './creatorUrl.ts'
import { type Gateways, publicGateway } from './gateways.ts'
import { parseMetadataUri } from './metadataUri.ts'

/** Longer than any in use; leaves room for everything else in an update of 16 KB. */
const MOST_URL_LENGTH = 2_048
/** Of a `data:` image, in bytes as JSON: enough for an icon. */
const MOST_DATA_BYTES = 4_096
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,][^\0-\x1f]*$/i

/**
 * An image as a front end can show it: a creator's URL that is allowed, `ipfs://` and `ar://` through the first gateway that may be
 * published, or as they are without one, and small `data:` images. `null` for anything else.
 */
export function toImageUrl(text: string, gateways: Gateways, allowHttp: boolean): string | null {
  const trimmed = text.trim()
  if (/^data:/i.test(trimmed)) return isSmallImage(trimmed) ? trimmed : null
  const url = toUrl(trimmed, gateways, allowHttp)
  return url === null || url.length > MOST_URL_LENGTH ? null : url
}

function isSmallImage(text: string): boolean {
  if (text.length > MOST_DATA_BYTES || !text.isWellFormed() || !DATA_IMAGE.test(text)) return false
  return Buffer.byteLength(JSON.stringify(text)) <= MOST_DATA_BYTES
}

function toUrl(text: string, gateways: Gateways, allowHttp: boolean): string | null {
  const uri = parseMetadataUri(text)
  switch (uri.kind) {
    case 'web':
      return isCreatorUrl(uri.url, { allowHttp }) ? uri.url.href : null
    case 'ipfs': {
      const gateway = publicGateway(gateways.ipfs)
      return gateway === null ? `ipfs://${uri.path}` : `${gateway}/ipfs/${uri.path}`
    }
    case 'arweave': {
      const gateway = publicGateway(gateways.arweave)
      return gateway === null ? `ar://${uri.path}` : `${gateway}/${uri.path}`
    }
    case 'text':
    case 'none':
      return null
  }
}
