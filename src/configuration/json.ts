const WHITE_SPACE = /[ \t\r\n]*/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const MAX_LEVELS = 100

class Mistake extends Error {
  readonly offset: number

  constructor(offset: number, reason: string) {
    super(reason)
    this.offset = offset
  }
}

/**
 * The first mistake in a JSON text that a person wrote, or `null`. `JSON.parse` gives a position for some mistakes only, and accepts a key
 * that is given twice. Lines and columns count from 1.
 */
export function findJsonError(text: string): { readonly line: number; readonly column: number; readonly reason: string } | null {
  try {
    const end = skip(text, scanValue(text, skip(text, 0), 0))
    if (end < text.length) throw new Mistake(end, 'expected the end of the file')
    return null
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    const before = text.slice(0, error.offset).split('\n')
    return { line: before.length, column: (before.at(-1) ?? '').length + 1, reason: error.message }
  }
}

/** The line of the value at a path of a valid JSON text, from 1; where there is none, of the innermost value around it. */
export function lineOfJsonValue(text: string, path: readonly PropertyKey[]): number {
  let at = skip(text, 0)
  for (const step of path) {
    const inner = offsetOfMember(text, at, step)
    if (inner === null) break
    at = inner
  }
  return text.slice(0, at).split('\n').length
}

/** Where the value of a member or an element of the value at `start` begins; `null`: it has none of that name or place. */
function offsetOfMember(text: string, start: number, step: PropertyKey): number | null {
  const isObject = text[start] === '{'
  if (!isObject && text[start] !== '[') return null
  let at = skip(text, start + 1)
  for (let index = 0; text[at] !== '}' && text[at] !== ']'; index++) {
    let name: PropertyKey = index
    if (isObject) {
      const end = scanString(text, at)
      name = JSON.parse(text.slice(at, end)) as string
      at = skip(text, skip(text, end) + 1)
    }
    if (name === step) return at
    at = skip(text, scanValue(text, at, 0))
    if (text[at] === ',') at = skip(text, at + 1)
  }
  return null
}

/** Each scan begins at an offset and returns the offset after what it has read. */
function scanValue(text: string, at: number, level: number): number {
  if (level > MAX_LEVELS) throw new Mistake(at, 'nested too deeply')
  switch (text[at]) {
    case '{':
      return scanMembers(text, at, '}', scanKeyAndValue(text, level))
    case '[':
      return scanMembers(text, at, ']', member => scanValue(text, member, level + 1))
    case '"':
      return scanString(text, at)
    case '/':
      throw new Mistake(at, 'JSON has no comments')
    default:
      return match(SCALAR, text, at) ?? fail(text, at, 'a value')
  }
}

function scanKeyAndValue(text: string, level: number): (at: number) => number {
  const keys = new Set<string>()
  return at => {
    if (text[at] !== '"') fail(text, at, 'a key in double quotes')
    const end = scanString(text, at)
    const key = JSON.parse(text.slice(at, end)) as string
    if (keys.has(key)) throw new Mistake(at, `${JSON.stringify(key)} is given twice`)
    keys.add(key)
    const colon = skip(text, end)
    if (text[colon] !== ':') fail(text, colon, '":"')
    return scanValue(text, skip(text, colon + 1), level + 1)
  }
}

function scanMembers(text: string, start: number, close: '}' | ']', scanMember: (at: number) => number): number {
  let at = skip(text, start + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    at = skip(text, scanMember(at))
    if (text[at] === close) return at + 1
    if (text[at] !== ',') fail(text, at, `"," or "${close}"`)
    const comma = at
    at = skip(text, at + 1)
    if (text[at] === close) throw new Mistake(comma, `"," before "${close}"`)
  }
}

function scanString(text: string, at: number): number {
  return match(STRING, text, at) ?? fail(text, at, 'a string that ends in its line, with valid escapes')
}

function skip(text: string, at: number): number {
  return match(WHITE_SPACE, text, at) ?? at
}

function match(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function fail(text: string, at: number, expected: string): never {
  const found = text[at]
  throw new Mistake(at, `expected ${expected}, found ${found === undefined ? 'the end of the file' : JSON.stringify(found)}`)
}

/** The value of a file, and its text without a byte order mark. */
export type ParsedJsonFile =
  | { readonly kind: 'valid'; readonly json: string; readonly value: unknown }
  /** One sentence, beginning with the place of the mistake. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

/** Parses a file that a person wrote. */
export function parseJsonFile(text: string): ParsedJsonFile {
  const json = text.replace(/^\uFEFF/, '')
  const error = findJsonError(json)
  if (error === null) return { kind: 'valid', json, value: JSON.parse(json) }
  return { kind: 'invalid', problems: [`line ${error.line}, column ${error.column}: ${error.reason}`] }
}

/** A path as in `launchpads[0].factory`; `''` for the whole value. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
}

/** `undefined`: there is no value at the path. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (outer, step) => (typeof outer === 'object' && outer !== null && Object.hasOwn(outer, step) ? Reflect.get(outer, step) : undefined),
    value,
  )
}
