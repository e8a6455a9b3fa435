export interface DataUri {
  /** Lower case, without parameters; empty when none is given. */
  readonly mediaType: string
  readonly bytes: Buffer
}

/**
 * What stands after `data:` (RFC 2397), read as leniently as creators write it: JSON that is not percent-encoded at all, with a `#` or a `%` in
 * it. `null`: it has no comma, or is not the base64 that it says it is.
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
