export interface DataUri {
  /** In lower case, without parameters; empty when none is given. */
  readonly mediaType: string
  readonly bytes: Buffer
}

/**
 * Decodes the part after `data:` (RFC 2397), leniently: creators write JSON that is not percent-encoded, with `#` and `%`.
 *
 * @returns `null` without a comma, or for invalid base64
 */
export function decodeDataUri(rest: string): DataUri | null {
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
