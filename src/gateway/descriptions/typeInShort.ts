/** The parts of a JSON Schema from which its short form is made. */
export interface ShortSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, ShortSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: ShortSchema
  readonly anyOf?: readonly ShortSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

export type ShortSchemas = Readonly<Record<string, ShortSchema>>

/**
 * A schema without references, descriptions and bounds: many clients of the Model Context Protocol can't follow a reference, and hand the
 * whole of a schema to their model.
 *
 * @param components the schemas that references name
 */
export function plainSchema(schema: ShortSchema, components: ShortSchemas): ShortSchema {
  const { $ref, type, properties, required, items, anyOf, enum: words, const: only } = schema
  const plain = (one: ShortSchema) => plainSchema(one, components)
  if ($ref !== undefined) return plain(components[nameOf($ref)] ?? {})
  return {
    ...(type !== undefined && { type }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, plain(field)])),
    }),
    ...(required !== undefined && { required }),
    ...(items !== undefined && { items: plain(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(plain) }),
    ...(words !== undefined && { enum: words }),
    ...(only !== undefined && { const: only }),
  }
}

/** `address string, name string?, pool Pool?, changes { m5 number, h1 number }` */
export function fieldsInShort({ properties = {} }: ShortSchema): string {
  return Object.entries(properties)
    .map(([name, field]) => `${name} ${typeInShort(field)}`)
    .join(', ')
}

/** `string?` may be `null`, `Token[]` is a list. A reference is written as its name. */
export function typeInShort(schema: ShortSchema): string {
  const { $ref, type, properties, items, anyOf, enum: words, const: only } = schema
  if ($ref !== undefined) return nameOf($ref)
  if (anyOf !== undefined) {
    const some = anyOf.filter(one => one.type !== 'null').map(typeInShort)
    return `${some.join(' or ')}${some.length < anyOf.length ? '?' : ''}`
  }
  if (words !== undefined) return words.map(word => JSON.stringify(word)).join(' or ')
  if (only !== undefined) return JSON.stringify(only)
  if (items !== undefined) return `${typeInShort(items)}[]`
  if (properties !== undefined) return `{ ${fieldsInShort(schema)} }`
  const types = [type ?? 'any'].flat()
  return `${types.filter(one => one !== 'null').join(' or ')}${types.includes('null') ? '?' : ''}`
}

function nameOf($ref: string): string {
  return $ref.split('/').at(-1) ?? ''
}
