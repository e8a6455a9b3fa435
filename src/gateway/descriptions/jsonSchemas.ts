import { z } from 'zod'

export type JsonObject = Readonly<Record<string, unknown>>

/** Turns zod schemas into JSON Schema (2020-12) for one document. Schemas with an `id` become components. */
export interface JsonSchemas {
  /** The schema of the value on the wire. Objects stay open, since later versions add fields. */
  of(schema: z.ZodType): JsonObject
  /** All components that were referred to so far, by id, in alphabetical order. */
  components(): JsonObject
}

export function createJsonSchemas(): JsonSchemas {
  const components = new Map<string, unknown>()
  const written = new Map<z.ZodType, JsonObject>()
  return {
    of(schema) {
      const known = written.get(schema)
      if (known !== undefined) return known
      // The schema is wrapped, because a root never becomes a reference.
      const { properties, $defs = {} } = toJsonSchema(z.object({ wrapped: schema }), 'input')
      for (const [id, { id: _, ...component }] of Object.entries($defs)) components.set(id, component)
      const json = properties['wrapped'] ?? {}
      written.set(schema, json)
      return json
    },
    components: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonObject>>
  readonly required?: readonly string[]
  readonly $defs?: Readonly<Record<string, JsonObject>>
}

function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const text = JSON.stringify(z.toJSONSchema(schema, { io }))
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as ObjectSchema
}

export interface DescribedParameter {
  readonly name: string
  readonly required: boolean
  readonly description: string
  /** The schema of the parsed value, not of its text: comma lists are arrays. */
  readonly schema: ValueSchema
}

interface ValueSchema {
  readonly type: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly default?: string | number | boolean | readonly string[]
  readonly maxItems?: number
  readonly items?: { readonly enum?: readonly string[] }
}

/** The parameters of a route, each with the schema of its parsed value. */
export function describeParameters(parameters: z.ZodObject): readonly DescribedParameter[] {
  const required = toJsonSchema(parameters, 'input').required ?? []
  return Object.entries(toJsonSchema(parameters, 'output').properties).map(([name, { description, ...schema }]) => ({
    name,
    required: required.includes(name),
    description: String(description),
    schema: schema as unknown as ValueSchema,
  }))
}
