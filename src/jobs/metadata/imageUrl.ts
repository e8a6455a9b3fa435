import { isCreatorUrl } from './creatorUrl.ts'
import { type Gateways, publicGateway } from './gateways.ts'
import { parseMetadataUri } from './metadataUri.ts'

/** Far longer than any in use, and short enough for an update of 16 KB beside everything else. */
const MOST_URL_LENGTH = 2_048
/** A picture inside its URL, in bytes as JSON: an icon fits, and no update has to cut it. */
const MOST_DATA_BYTES = 4_096
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,][^\0-\x1f]*$/i

/**
 * An image as a front end can show it: an `https` URL that leads to no private place, `ipfs://` and `ar://` through the first gateway that may be
 * named (or as they are when there is none), and a `data:` picture when it is small. `null`: it is none of these.
 */
export function toImageUrl(text: string, gateways: Gateways, allowHttp: boolean): string | null {
  const trimmed = text.trim()
  if (/^data:/i.test(trimmed)) return isSmallPicture(trimmed) ? trimmed : null
  const url = toUrl(trimmed, gateways, allowHttp)
  return url === null || url.length > MOST_URL_LENGTH ? null : url
}

function isSmallPicture(text: string): boolean {
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
