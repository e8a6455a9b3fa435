import { Buffer } from 'node:buffer'

/** How a text may be written by who was told it, by the name of the encoding. */
export function spellings(secret: string): Readonly<Record<string, string>> {
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const upperAscii = json.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
  const percent = encodeURIComponent(secret)
  const everyPercent = percent.replace(/[-_.!~*'()]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, escape => escape.toLowerCase())
  const hex = Buffer.from(secret).toString('hex')
  const base64 = Buffer.from(secret).toString('base64')
  return {
    'as it is': secret,
    encodeURIComponent: percent,
    'encodeURIComponent in lower case': lower(percent),
    'percent-encoded down to the marks': everyPercent,
    'percent-encoded twice': encodeURIComponent(everyPercent),
    encodeURI: encodeURI(secret),
    'encodeURI in lower case': lower(encodeURI(secret)),
    'a form': new URLSearchParams({ a: secret }).toString().slice(2),
    'a form in lower case': lower(new URLSearchParams({ a: secret }).toString().slice(2)),
    JSON: json,
    'JSON with escaped slashes': json.replaceAll('/', '\\/'),
    'JSON of ASCII': ascii,
    'JSON of ASCII in upper case': upperAscii,
    'JSON for a page': json.replace(/[<>&]/g, mark => `\\u00${mark.charCodeAt(0).toString(16)}`),
    'JSON in JSON': JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    hex: hex,
    'hex in upper case': hex.toUpperCase(),
    base64,
    'base64 without padding': base64.replace(/=+$/, ''),
    'base64 in a URL': encodeURIComponent(base64),
    'base64 in JSON': base64.replaceAll('/', '\\/'),
    base64url: Buffer.from(secret).toString('base64url'),
    'base64url with padding': base64.replaceAll('+', '-').replaceAll('/', '_'),
  }
}

/**
 * Larger texts in base64 and base64url that hold the secret, each with the digits that hold the secret's bits alone. A secret of fewer
 * than 8 bytes may be too short to be found in them.
 */
export function insideBase64(secret: string): readonly { readonly text: string; readonly digits: string }[] {
  const bytes = Buffer.byteLength(secret)
  return ['', 'a', '{"', 'Basic ', 'user:'].flatMap(before => {
    return (['base64', 'base64url'] as const).map(alphabet => {
      const text = Buffer.from(`${before}${secret}"} and more`).toString(alphabet)
      const start = Buffer.byteLength(before)
      return { text, digits: text.slice(Math.ceil((start * 8) / 6), Math.floor(((start + bytes) * 8) / 6)) }
    })
  })
}
