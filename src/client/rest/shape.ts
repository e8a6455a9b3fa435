import { isFields } from '#protocol/applyDelta.ts'

/* A validation library would be larger than this client. A test prints the shapes as JSON Schema and compares them. */

export type AnyShape =
  | { readonly kind: 'string'; readonly pattern?: RegExp }
  | { readonly kind: 'number'; readonly min?: number | undefined; readonly max?: number | undefined; readonly whole?: boolean }
  | { readonly kind: 'choice'; readonly options: readonly unknown[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, AnyShape>> }
  | { readonly kind: 'list'; readonly item: AnyShape; readonly max?: number | undefined }
  | { readonly kind: 'record'; readonly item: AnyShape }
  /** Either this value or another shape. */
  | { readonly kind: 'or'; readonly other: null | undefined; readonly inner: AnyShape }

/** The shape of a `T`. The compiler rejects a shape that is narrower or wider than its type. */
export type Shape<T> = AnyShape & { readonly _of?: (value: T) => T }

export const string: Shape<string> = { kind: 'string' }
export const boolean: Shape<boolean> = { kind: 'choice', options: [true, false] }

export const pattern = <T extends string = string>(pattern: RegExp): Shape<T> => ({ kind: 'string', pattern })

export const number = (min?: number, max?: number): Shape<number> => ({ kind: 'number', min, max })

export const whole = (min?: number): Shape<number> => ({ kind: 'number', min, whole: true })

export const choice = <const T extends string>(...options: readonly T[]): Shape<T> => ({ kind: 'choice', options })

/** Accepts additional fields: a newer server may send more. */
export const object = <T>(fields: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> => ({ kind: 'object', fields })

export const listOf = <T>(item: Shape<T>, max?: number): Shape<readonly T[]> => ({ kind: 'list', item, max })

export const mapOf = <T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> => ({ kind: 'record', item })

export const nullable = <T>(inner: Shape<T>): Shape<T | null> => ({ kind: 'or', other: null, inner })

/** The shape of a field that may be absent. */
export const optional = <T>(inner: Shape<T>): Shape<T | undefined> => ({ kind: 'or', other: undefined, inner })

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The path of the first field that differs, such as `data.0.sequence`, or `''` for the value itself; `null` when the value fits. */
export function mismatch(shape: AnyShape, value: unknown): string | null {
  switch (shape.kind) {
    case 'string':
      return typeof value === 'string' && (shape.pattern?.test(value) ?? true) ? null : ''
    case 'number':
      return isNumber(shape, value) ? null : ''
    case 'choice':
      return shape.options.includes(value) ? null : ''
    case 'or':
      return value === shape.other ? null : mismatch(shape.inner, value)
    case 'list':
      return Array.isArray(value) && value.length <= (shape.max ?? value.length) ? mismatchOfEach(value, shape.item) : ''
    case 'record':
      return isFields(value) ? mismatchOfEach(value, shape.item) : ''
    case 'object':
      return isFields(value) ? firstMismatch(Object.entries(shape.fields).map(([key, field]) => [key, field, value[key]])) : ''
  }
}

function mismatchOfEach(entries: object, item: AnyShape): string | null {
  return firstMismatch(Object.entries(entries).map(([key, entry]) => [key, item, entry]))
}

function firstMismatch(parts: readonly (readonly [key: string, shape: AnyShape, value: unknown])[]): string | null {
  for (const [key, shape, value] of parts) {
    const inner = mismatch(shape, value)
    if (inner !== null) return inner === '' ? key : `${key}.${inner}`
  }
  return null
}

function isNumber({ min, max, whole }: Extract<AnyShape, { kind: 'number' }>, value: unknown): boolean {
  return (
    typeof value === 'number' &&
    (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    value >= (min ?? value) &&
    value <= (max ?? value)
  )
}
