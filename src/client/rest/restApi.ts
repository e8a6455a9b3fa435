import type { ClientContext } from '#client/context.ts'
import { REST_METHODS, type RestApi, type RestMethod } from '#client/generated/restMethods.ts'
import type { OperatorOptions } from './calls.ts'
import { createRest } from './rest.ts'

/** Each method takes its required parameters, then, if it has others, a query, then options. */
export function createRestApi(context: ClientContext): RestApi {
  const call = createRest(context)
  const method =
    ([template, shape, hasQuery, alsoStatus]: RestMethod) =>
    (...given: unknown[]) => {
      const named: Record<string, unknown> = {}
      const path = template.replace(/[:?](\w+)/g, (part, name: string) => {
        const value = given.shift()
        if (part.startsWith(':')) return encodeURIComponent(String(value))
        named[name] = value
        return ''
      })
      const query = { ...named, ...(hasQuery && (given.shift() as object | undefined)) }
      return call({ path, query, shape, options: given[0] as OperatorOptions, alsoStatus })
    }
  return Object.fromEntries(Object.entries(REST_METHODS).map(([name, described]) => [name, method(described)])) as unknown as RestApi
}
