import { getOrInsert } from './maps.ts'

/** Shorter texts are found in base64 only when encoded alone: inside a larger text their digits are too few to stand out. */
const ALIGNED_FROM = 8
/** JSON inside JSON inside JSON puts 7 backslashes before a character. The bound keeps the search linear in a text of backslashes. */
const BACKSLASHES = String.raw`\\{1,7}`
/** `%`, or `%25` where the escape was escaped again. */
const PERCENT = '%(?:25){0,2}'
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' }
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Finds secrets in text that others wrote, however they are written there. For each secret:
 *
 * 1. as it is, and each character that is no letter or digit percent-encoded (also twice), form-encoded (`+` for a space), or escaped
 *    as JSON does (also `\uXXXX`, `\/`, and JSON within JSON), in any mixture;
 * 2. as the hexadecimal of its UTF-8, in either case;
 * 3. as its base64 or base64url, with or without padding; from 8 bytes on also inside a larger encoded text, at any of the three
 *    offsets. The characters at the two ends, which hold bits of the neighbours as well, are then left.
 *
 * @returns a global expression, longer secrets first, so that a whole address is found before the key in it; `null` when there is no secret
 */
export function secretPattern(secrets: Iterable<string>): RegExp | null {
  const sorted = [...new Set(secrets)].filter(secret => secret !== '').sort((a, b) => b.length - a.length)
  if (sorted.length === 0) return null
  const encoded = sorted.map(secret => new TextEncoder().encode(secret))
  const spelled = sorted.map(secret => [...secret].map(spelledCharacter).join(''))
  const hexadecimal = encoded.map(bytes => Array.from(bytes, byte => hexDigits(byte, 2)).join(''))
  const sources = [...spelled, ...encoded.flatMap(base64Sources), ...hexadecimal]
  return new RegExp(grouped(sources), 'g')
}

/** One alternative per first letter or digit, which the engine tells apart at once. Keeps the order within each. */
function grouped(sources: readonly string[]): string {
  const groups = new Map<string, Set<string>>()
  for (const source of sources) {
    const first = /^[A-Za-z0-9]/.exec(source)?.[0] ?? ''
    getOrInsert(groups, first, () => new Set()).add(source.slice(first.length))
  }
  return [...groups].map(([first, rests]) => `${first}(?:${[...rests].join('|')})`).join('|')
}

/** Letters and digits are never escaped, which keeps the expression small. */
function spelledCharacter(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character
  const written = character.toWellFormed()
  const percent = Array.from(new TextEncoder().encode(written), byte => PERCENT + hexDigits(byte, 2)).join('')
  const units = Array.from({ length: character.length }, (_, at) => `${BACKSLASHES}u${hexDigits(character.charCodeAt(at), 4)}`).join('')
  const short = SHORT_ESCAPES[character]
  return `(?:${[
    escapeForPattern(character),
    ...(written === character ? [] : [written]),
    percent,
    units,
    ...(character === ' ' ? [String.raw`\+`] : []),
    ...('"\\/'.includes(character) ? [BACKSLASHES + escapeForPattern(character)] : []),
    ...(short === undefined ? [] : [BACKSLASHES + short]),
  ].join('|')})`
}

function hexDigits(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)
}

function base64Sources(bytes: Uint8Array): readonly string[] {
  const alone = `${base64Digits(bytes, 0, Math.ceil((bytes.length * 8) / 6))}(?:=|%3[dD]){0,2}`
  if (bytes.length < ALIGNED_FROM) return [alone]
  return [alone, ...[0, 1, 2].map(before => base64Digits(bytes, before, Math.floor(((before + bytes.length) * 8) / 6)))]
}

/** The digits up to `end` that hold bits of these bytes alone, when `before` other bytes stand before them. */
function base64Digits(bytes: Uint8Array, before: number, end: number): string {
  const shifted = [...Array.from({ length: before }, () => 0), ...bytes, 0]
  const first = Math.ceil((before * 8) / 6)
  let source = ''
  for (let digit = first; digit < end; digit++) {
    const bit = digit * 6
    const two = ((shifted[bit >> 3] ?? 0) << 8) | (shifted[(bit >> 3) + 1] ?? 0)
    source += spelledDigit(BASE64.charAt((two >> (10 - (bit & 7))) & 63))
  }
  return source
}

function spelledDigit(digit: string): string {
  if (digit === '+') return String.raw`(?:[+-]|%2[bB]|\\{1,7}u002[bB])`
  if (digit === '/') return String.raw`(?:[/_]|%2[fF]|\\{1,7}\/)`
  return digit
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

/** `tw_` and 256 random bits in base64url. */
const FORM = /^tw_[\w-]{43}$/

/** Finds keys in text that others wrote, also where some of their characters are percent-encoded. */
export const API_KEY_PATTERN = String.raw`tw(?:_|%(?:25)?5[fF])(?:[\w-]|%(?:25)?[0-9a-fA-F]{2}){43}`

const ANYWHERE = new RegExp(API_KEY_PATTERN, 'g')

/** Whether a text has the form of an API key. It need not be one that is in use. */
export function hasApiKeyForm(text: string): boolean {
  return FORM.test(text)
}

/** The text with everything that has the form of an API key replaced. */
export function withoutApiKeys(text: string): string {
  return text.replace(ANYWHERE, '[redacted]')
}
