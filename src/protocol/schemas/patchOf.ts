import { z } from 'zod'

/** The changes of a value: of an object any of its fields, of anything else the new value. */
export function patchOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable) return patchOf(schema.unwrap() as z.ZodType).nullable()
  if (!(schema instanceof z.ZodObject)) return schema
  const fields = Object.entries(schema.shape)
  const { description } = schema
  const patch = z.object(Object.fromEntries(fields.map(([name, field]) => [name, patchOf(field).exactOptional()])))
  return description === undefined ? patch : patch.describe(description)
}
