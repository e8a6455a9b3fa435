import { z } from 'zod'
import { MAY_GROW } from '#resources/values.ts'

/** A node of a JSON Schema as zod writes it. */
export interface JsonNode {
  readonly $ref?: string
  readonly type?: string
  readonly const?: string | number | boolean | null
  readonly enum?: readonly string[]
  readonly anyOf?: readonly JsonNode[]
  readonly properties?: Readonly<Record<string, JsonNode>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonNode | false
  readonly items?: JsonNode
  readonly maxItems?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
}

/** A schema as JSON Schema, in which a value of several types is always `anyOf`. */
export function jsonNodeOf(
  schema: z.ZodType,
  io: 'input' | 'output' = 'output',
): JsonNode & { readonly $defs?: Readonly<Record<string, JsonNode>> } {
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io })), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('type' in value) || !Array.isArray(value.type)) return value
    const { type: types, description, ...rest } = value as { type: readonly string[]; description?: string }
    return { description, anyOf: types.map(type => (type === 'null' ? { type } : { type, ...rest })) }
  }) as JsonNode
}

/** Texts that have a type of their own. */
const BRANDS: Readonly<Record<string, string>> = {
  '^0x[0-9a-f]{40}$': 'Address',
  '^0x[0-9a-f]{64}$': 'Hex',
  '^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$': 'Hex',
  '^0x(?:[0-9a-f]{2})*$': 'Hex',
}

/** The node as a TypeScript type. */
export function typeOf(node: JsonNode): string {
  if (node.$ref !== undefined) return nameOf(node.$ref)
  if (node.const !== undefined) return literal(node.const)
  if (node.enum !== undefined) return node.enum.map(literal).join(' | ')
  if (node.anyOf !== undefined) return node.anyOf.map(typeOf).join(' | ')
  switch (node.type) {
    case 'string':
      return BRANDS[node.pattern ?? ''] ?? 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `readonly ${parenthesized(typeOf(node.items ?? {}))}[]`
    case 'object':
      return objectType(node)
    case 'boolean':
    case 'null':
      return node.type
    default:
      throw new Error(`a schema of the API has a part that has no type here: ${JSON.stringify(node)}`)
  }
}

function objectType({ properties, required = [], additionalProperties }: JsonNode): string {
  if (properties === undefined) return `Readonly<Record<string, ${typeOf(additionalProperties || {})}>>`
  const fields = Object.entries(properties).map(([name, field]) => {
    const doc = field.description === undefined ? '' : `/** ${field.description.replaceAll('*/', '* /')} */\n`
    return `${doc}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`
  })
  return `{\n${indented(fields)}\n}`
}

/** The lines of a block. */
export function indented(parts: readonly string[]): string {
  return parts.map(part => `  ${part.replaceAll('\n', '\n  ')}`).join('\n')
}

function parenthesized(type: string): string {
  return type.includes(' | ') ? `(${type})` : type
}

function literal(value: string | number | boolean | null): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

export interface ShapeNames {
  /** The name of a constant for a shape that is given as code, or the code itself. */
  readonly leaf: (code: string) => string
  /** The name of the shape of a named schema. */
  readonly reference: (name: string) => string
}

/** The node as code that makes a shape. */
export function shapeOf(node: JsonNode, names: ShapeNames): string {
  const { leaf } = names
  if (node.$ref !== undefined) return names.reference(nameOf(node.$ref))
  if (node.const !== undefined) return leaf(`choice(${literal(node.const)})`)
  if (node.enum !== undefined) {
    const words = node.enum.map(literal)
    return leaf(node.description?.endsWith(MAY_GROW) ? `string as Shape<${words.join(' | ')}>` : `choice(${words.join(', ')})`)
  }
  if (node.anyOf !== undefined) {
    const others = node.anyOf.filter(({ type }) => type !== 'null')
    const [only] = others
    if (only === undefined || others.length > 1) throw new Error(`a shape has no unions: ${JSON.stringify(node)}`)
    const inner = shapeOf(only, names)
    return leaf(`nullable(${inner})`)
  }
  switch (node.type) {
    case 'string':
      if (node.pattern === undefined) return 'string'
      return leaf(`pattern${BRANDS[node.pattern] === undefined ? '' : `<${BRANDS[node.pattern]}>`}(/${node.pattern}/)`)
    case 'integer':
      return leaf(`whole(${node.minimum === Number.MIN_SAFE_INTEGER ? '' : (node.minimum ?? '')})`)
    case 'number':
      return leaf(`number(${[node.minimum, node.maximum].filter(bound => bound !== undefined).join(', ')})`)
    case 'boolean':
      return 'boolean'
    case 'array':
      return leaf(`listOf(${shapeOf(node.items ?? {}, names)}${node.maxItems === undefined ? '' : `, ${node.maxItems}`})`)
    case 'object':
      return leaf(objectShape(node, names))
    default:
      throw new Error(`a schema of the API has a part that has no shape: ${JSON.stringify(node)}`)
  }
}

/** An object as code that makes its shape. */
export function objectShape({ properties, required = [], additionalProperties }: JsonNode, names: ShapeNames): string {
  if (properties === undefined) return `mapOf(${shapeOf(additionalProperties || {}, names)})`
  const fields = Object.entries(properties).map(([name, field]) => {
    const shape = shapeOf(field, names)
    return `${name}: ${required.includes(name) ? shape : `optional(${shape})`}`
  })
  return `object({ ${fields.join(', ')} })`
}
