import { findJsonError } from './json.ts'

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
