import type { OperatorOptions } from './calls.ts'
import type { Rest } from './rest.ts'
import { encoded } from './rest.ts'
import type { AnyShape } from './shape.ts'

/** A path names the required parameters, in the order of the method's arguments: `:name` is a segment, `?name` belongs to the query. */
export type RestMethod = readonly [path: string, shape: AnyShape, hasQuery?: boolean, alsoStatus?: number]

/** Each method takes its required parameters, then, if it has others, a query, then options. */
export function createRestApi<Api>(methods: Readonly<Record<keyof Api, RestMethod>>, rest: Rest): Api {
  const method =
    ([template, shape, hasQuery, alsoStatus]: RestMethod) =>
    (...given: unknown[]) => {
      const named: Record<string, unknown> = {}
      const path = template.replace(/[:?](\w+)/g, (part, name: string) => {
        const value = given.shift()
        if (part.startsWith(':')) return encoded(value)
        named[name] = value
        return ''
      })
      const query = { ...named, ...(hasQuery && (given.shift() as object | undefined)) }
      return rest({ path, query, shape, options: given[0] as OperatorOptions, alsoStatus })
    }
  return Object.fromEntries(Object.entries<RestMethod>(methods).map(([name, described]) => [name, method(described)])) as Api
}
