import { API_KEY_PATTERN } from '#domain/apiKey.ts'
import { secretPattern } from '#domain/secretPattern.ts'

const HIDDEN = '[redacted]'
/** Keys of a log line that are kept as they are. */
const OWN_KEYS = new Set(['level', 'time', 'msg'])

export interface Redactor {
  text(text: string): string
  /** A JSON line with every secret in its keys and values replaced. Stays one JSON line. */
  line(line: string): string
  add(secrets: readonly string[]): void
}

/**
 * Finds secrets in every spelling of `secretPattern`, and everything that has the form of an API key. A line without a secret costs one
 * scan by one regular expression.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  let known: ReadonlySet<string> = new Set()
  let pattern = new RegExp(API_KEY_PATTERN, 'g')
  const add = (more: readonly string[]) => {
    known = new Set([...known, ...more])
    const ofSecrets = secretPattern(known)
    pattern = new RegExp(ofSecrets === null ? API_KEY_PATTERN : `${ofSecrets.source}|${API_KEY_PATTERN}`, 'g')
  }
  const text = (value: string) => value.replaceAll(pattern, HIDDEN)
  add(secrets)
  return {
    text,
    line: line => {
      if (line.search(pattern) === -1) return line
      try {
        return `${JSON.stringify(redactTree(JSON.parse(line), text, 'line'))}\n`
      } catch {
        return text(line) // the line is not JSON
      }
    },
    add,
  }
}

function redactTree(value: unknown, text: (value: string) => string, place?: 'line'): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return text(String(value)) === String(value) ? value : HIDDEN
  if (Array.isArray(value)) return value.map(part => redactTree(part, text))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => {
    if (place === 'line' && OWN_KEYS.has(key)) return [key, typeof part === 'string' && key !== 'level' ? text(part) : part]
    return [text(key), redactTree(part, text)]
  })
  return Object.fromEntries(entries)
}
