import { isCreatorUrl } from './creatorUrl.ts'
import { type Gateways, gatewayUrl, publicGateway } from './gateways.ts'
import { parseMetadataUri } from './metadataUri.ts'

/** The longest image URL: longer than any in use, with room for everything else in an update of 16 KB. */
const MAX_URL_LENGTH = 2_048
/** The longest `data:` image, in bytes as JSON: enough for an icon. */
const MAX_DATA_BYTES = 4_096
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,][^\0-\x1f]*$/i

/**
 * The URL of an image for a front end: a creator's URL that is allowed, `ipfs://` and `ar://` through the first gateway that may be
 * published (without one, as they are), or a small `data:` image. `null` for anything else.
 */
export function toImageUrl(text: string, gateways: Gateways, allowHttp: boolean): string | null {
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
