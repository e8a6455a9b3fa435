import { Buffer } from 'node:buffer'

/*
 * JSON as it came, taken apart only as far as somebody needs it. An answer of logs is a megabyte of hex: made into objects and strings for a moment, it
 * costs more than all that is done with the logs.
 */

/** A JSON value inside an answer. Whether it is one shows when it is read. */
export class JsonText {
  readonly bytes: Buffer
  readonly from: number
  /** The first byte after it. */
  readonly to: number

  constructor(bytes: Buffer, from = 0, to = bytes.length) {
    this.bytes = bytes
    this.from = from
    this.to = to
  }

  /** @param value what can be JSON; anything else is taken for `null` */
  static of(value: unknown): JsonText {
    return new JsonText(Buffer.from(JSON.stringify(value) ?? 'null'))
  }

  /** @throws `SyntaxError` when it is no JSON */
  parse(): unknown {
    return JSON.parse(this.bytes.toString('utf8', this.from, this.to))
  }

  /**
   * The elements of a list; `null` for anything else.
   *
   * @throws `SyntaxError` when it is no JSON, as far as that shows without reading them
   */
  elements(): readonly JsonText[] | null {
    const elements: JsonText[] = []
    const at = startOf(this)
    if (this.bytes[at] !== OPEN_LIST) return null
    this.#separated(at, CLOSE_LIST, from => {
      const to = skipValue(this.bytes, from)
      elements.push(new JsonText(this.bytes, from, to))
      return to
    })
    return elements
  }

  /**
   * The members of an object by name, of a name that occurs twice the last one; `null` for anything else.
   *
   * @throws `SyntaxError` when it is no JSON, as far as that shows without reading them
   */
  members(): ReadonlyMap<string, JsonText> | null {
    const members = new Map<string, JsonText>()
    const at = startOf(this)
    if (this.bytes[at] !== OPEN_OBJECT) return null
    this.#separated(at, CLOSE_OBJECT, nameFrom => {
      const nameTo = skipString(this.bytes, nameFrom)
      const colon = skipSpace(this.bytes, nameTo)
      if (this.bytes[colon] !== COLON) throw new SyntaxError('expected a colon')
      const from = skipSpace(this.bytes, colon + 1)
      const to = skipValue(this.bytes, from)
      members.set(String(new JsonText(this.bytes, nameFrom, nameTo).parse()), new JsonText(this.bytes, from, to))
      return to
    })
    return members
  }

  /** Goes through what is between the bracket at `open` and the one that closes it, which has to be the end. @param pass gives where a part ends */
  #separated(open: number, close: number, pass: (from: number) => number): void {
    let at = skipSpace(this.bytes, open + 1)
    if (this.bytes[at] !== close) {
      for (;;) {
        at = skipSpace(this.bytes, pass(at))
        if (this.bytes[at] === close) break
        if (this.bytes[at] !== COMMA) throw new SyntaxError('expected a comma')
        at = skipSpace(this.bytes, at + 1)
      }
    }
    if (skipSpace(this.bytes, at + 1) < this.to) throw new SyntaxError('expected the end')
  }
}

export const QUOTE = 0x22
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_LIST = 0x5b
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
const BACKSLASH = 0x5c
const SPACE = 0x20

function startOf({ bytes, from }: JsonText): number {
  return skipSpace(bytes, from)
}

/** The first byte from `at` on that is no white space. */
export function skipSpace(bytes: Buffer, at: number): number {
  let next = at
  for (let byte = bytes[next]; byte === SPACE || (byte !== undefined && byte >= 0x09 && byte <= 0x0d); byte = bytes[next]) next++
  return next
}

/** Where the value that begins at `at` ends. @throws `SyntaxError` when it does not */
export function skipValue(bytes: Buffer, at: number): number {
  switch (bytes[at]) {
    case QUOTE:
      return skipString(bytes, at)
    case OPEN_LIST:
    case OPEN_OBJECT:
      return skipNested(bytes, at)
    default:
      return skipWord(bytes, at)
  }
}

function skipString(bytes: Buffer, at: number): number {
  if (bytes[at] !== QUOTE) throw new SyntaxError('expected a string')
  for (let next = at + 1; next < bytes.length; next++) {
    const byte = bytes[next]
    if (byte === BACKSLASH) next++
    else if (byte === QUOTE) return next + 1
  }
  throw new SyntaxError('a string without an end')
}

function skipNested(bytes: Buffer, at: number): number {
  let depth = 0
  for (let next = at; next < bytes.length; ) {
    const byte = bytes[next]
    if (byte === QUOTE) {
      next = skipString(bytes, next)
      continue
    }
    next++
    if (byte === OPEN_LIST) next = skipFlatObjects(bytes, next)
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
    else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && --depth === 0) return next
  }
  throw new SyntaxError('brackets without an end')
}

/**
 * Past the first objects of a list that hold no braces, as logs do, and past the commas between them: at a fifth of the cost of looking at every byte.
 * Texts in them that hold `},{` or `}]` mislead it. Then the answer is refused, since what it takes for a value is none.
 */
function skipFlatObjects(bytes: Buffer, at: number): number {
  let next = at
  while (bytes[next] === OPEN_OBJECT) {
    const close = bytes.indexOf(CLOSE_OBJECT, next)
    const inner = bytes.indexOf(OPEN_OBJECT, next + 1)
    if (close === -1 || (inner !== -1 && inner < close)) break
    if (bytes[close + 1] === CLOSE_LIST) return close + 1
    if (bytes[close + 1] !== COMMA || bytes[close + 2] !== OPEN_OBJECT) break
    next = close + 2
  }
  return next
}

/** A number, `true`, `false` or `null`. */
function skipWord(bytes: Buffer, at: number): number {
  let next = at
  for (
    let byte = bytes[next];
    byte !== undefined && byte > SPACE && byte !== COMMA && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT;
    byte = bytes[next]
  )
    next++
  if (next === at) throw new SyntaxError('expected a value')
  return next
}
