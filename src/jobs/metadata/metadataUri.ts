import type { MetadataProblem } from './failure.ts'

/** A parsed metadata or image URI. Paths are encoded, without `.` and `..`. */
export type MetadataUri =
  | { readonly kind: 'text'; readonly text: string }
  /** `path`: the content identifier and an optional path below it. */
  | { readonly kind: 'ipfs'; readonly path: string }
  /** `path`: the transaction id and an optional path below it. */
  | { readonly kind: 'arweave'; readonly path: string }
  | { readonly kind: 'web'; readonly url: URL }
  | { readonly kind: 'none'; readonly problem: Extract<MetadataProblem, 'malformed' | 'unsupported'> }

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
