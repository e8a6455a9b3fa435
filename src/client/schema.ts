/*
 * A schema language of a few lines, because a validation library would be larger than this client. Schemas are plain data: a test turns them
 * into JSON Schema and compares them with those of the server's.
 */

export type Shape =
  | { readonly kind: 'text'; readonly pattern?: RegExp }
  | { readonly kind: 'number'; readonly min?: number | undefined; readonly max?: number | undefined; readonly whole?: boolean }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly kind: 'list'; readonly item: Shape; readonly max?: number | undefined }
  | { readonly kind: 'map'; readonly item: Shape }
  | { readonly kind: 'nullable'; readonly inner: Shape }

/** A shape and the type of what has it; neither more general nor more special than that type. */
export type Schema<T> = Shape & { readonly _of?: (value: T) => T }

export const text: Schema<string> = { kind: 'text' }
export const flag: Schema<boolean> = { kind: 'flag' }

export const pattern = <T extends string = string>(pattern: RegExp): Schema<T> => ({ kind: 'text', pattern })

export const number = (min?: number, max?: number): Schema<number> => ({ kind: 'number', min, max })

/** A safe integer. */
export const whole = (min?: number): Schema<number> => ({ kind: 'number', min, whole: true })

export const choice = <const T extends string>(...options: readonly T[]): Schema<T> => ({ kind: 'choice', options })

/** Unknown fields are let through: a newer server may have more of them. */
export const object = <T>(fields: { readonly [K in keyof T]-?: Schema<T[K]> }): Schema<T> => ({ kind: 'object', fields })

export const list = <T>(item: Schema<T>, max?: number): Schema<readonly T[]> => ({ kind: 'list', item, max })

export const map = <T>(item: Schema<T>): Schema<Readonly<Record<string, T>>> => ({ kind: 'map', item })

export const nullable = <T>(inner: Schema<T>): Schema<T | null> => ({ kind: 'nullable', inner })

/** Where a value is first not of the shape, such as `data.0.sequence` (an empty text: the value itself); `null`: it is. */
export function mismatch(shape: Shape, value: unknown): string | null {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' && (shape.pattern?.test(value) ?? true) ? null : ''
    case 'number':
      return isNumber(shape, value) ? null : ''
    case 'flag':
      return typeof value === 'boolean' ? null : ''
    case 'choice':
      return shape.options.includes(value as string) ? null : ''
    case 'nullable':
      return value === null ? null : mismatch(shape.inner, value)
    case 'list':
      if (!Array.isArray(value) || value.length > (shape.max ?? value.length)) return ''
      return firstMismatch(value.map((item, index) => [String(index), shape.item, item]))
    case 'map':
      return isObject(value) ? firstMismatch(Object.entries(value).map(([key, item]) => [key, shape.item, item])) : ''
    case 'object':
      return isObject(value) ? firstMismatch(Object.entries(shape.fields).map(([key, field]) => [key, field, value[key]])) : ''
  }
}

function firstMismatch(parts: readonly (readonly [key: string, shape: Shape, value: unknown])[]): string | null {
  for (const [key, shape, value] of parts) {
    const inner = mismatch(shape, value)
    if (inner !== null) return inner === '' ? key : `${key}.${inner}`
  }
  return null
}

function isNumber({ min, max, whole }: Extract<Shape, { kind: 'number' }>, value: unknown): boolean {
  return (
    typeof value === 'number' &&
    (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    value >= (min ?? value) &&
    value <= (max ?? value)
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
