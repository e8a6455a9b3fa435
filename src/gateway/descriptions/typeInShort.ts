/** The parts of a JSON Schema from which its short form is made. */
export interface ShortSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, ShortSchema>>
  readonly additionalProperties?: unknown
  readonly items?: ShortSchema
  readonly anyOf?: readonly ShortSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

export type ShortSchemas = Readonly<Record<string, ShortSchema>>

/** `address string, name string?, pool Pool?, changes { m5 number, h1 number }` @param components see `typeInShort` */
export function fieldsInShort({ properties = {} }: ShortSchema, components: ShortSchemas = {}): string {
  return Object.entries(properties)
    .map(([name, field]) => `${name} ${typeInShort(field, components)}`)
    .join(', ')
}

/** `string?` may be `null`, `Token[]` is a list. @param components schemas by name; a reference to another one is written as its name */
export function typeInShort(schema: ShortSchema, components: ShortSchemas = {}): string {
  const { $ref, type, properties, items, anyOf, enum: words, const: only } = schema
  const inShort = (one: ShortSchema) => typeInShort(one, components)
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? ''
    const referred = components[name]
    return referred === undefined ? name : inShort(referred)
  }
  if (anyOf !== undefined) {
    const some = anyOf.filter(one => one.type !== 'null').map(inShort)
    return `${some.join(' or ')}${some.length < anyOf.length ? '?' : ''}`
  }
  if (words !== undefined) return words.map(word => JSON.stringify(word)).join(' or ')
  if (only !== undefined) return JSON.stringify(only)
  if (items !== undefined) return `${inShort(items)}[]`
  if (properties !== undefined) return `{ ${fieldsInShort(schema, components)} }`
  const types = [type ?? 'any'].flat()
  return `${types.filter(one => one !== 'null').join(' or ')}${types.includes('null') ? '?' : ''}`
}
