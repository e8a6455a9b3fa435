import type { z } from 'zod'

/** The value that a schema describes, as it goes over the wire. Nothing in it can be changed. */
export type Wire<Schema extends z.ZodType> = ReadOnly<z.output<Schema>>

type ReadOnly<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly ReadOnly<Item>[]
    : { readonly [Key in keyof T]: ReadOnly<T[Key]> }
