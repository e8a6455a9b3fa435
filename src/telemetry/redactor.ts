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

/** Finds secrets in every spelling of `secretPattern`. A line without a secret costs one scan by one regular expression. */
export function createRedactor(secrets: readonly string[]): Redactor {
  let known: ReadonlySet<string> = new Set()
  let pattern: RegExp | null = null
  const add = (more: readonly string[]) => {
    known = new Set([...known, ...more])
    pattern = secretPattern(known)
  }
  const text = (value: string) => (pattern === null ? value : value.replaceAll(pattern, HIDDEN))
  add(secrets)
  return {
    text,
    line: line => {
      if (pattern === null || line.search(pattern) === -1) return line
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
