import { pathTemplate } from '#gateway/http/route.ts'
import type { TAGS } from '#resources/resource.ts'
import { describeParameters } from './jsonSchemas.ts'
import { type DescribedRoute, describedRoutes } from './openApi.ts'

type Routes = Parameters<typeof describedRoutes>[0]

/** The routes that documents for readers describe one by one. */
export function readerRoutes(routes: Routes): readonly DescribedRoute[] {
  return describedRoutes(routes).filter(({ description }) => description.repeats === undefined)
}

/** Paths that repeat those below another one. */
export interface RepeatedPaths {
  readonly tag: keyof typeof TAGS
  /** The paths as a pattern: `/dexscreener/joined/{joined}/…`. */
  readonly path: string
  /** A sentence about the paths. */
  readonly summary: string
  /** A sentence about the parameter in the path. */
  readonly parameter: string
}

/** The repeated paths, one entry for each base path. */
export function repeatedPaths(routes: Routes): readonly RepeatedPaths[] {
  const byBase = new Map<string, RepeatedPaths>()
  for (const { description, parameters } of describedRoutes(routes)) {
    const { repeats, tag } = description
    if (repeats === undefined || byBase.has(repeats.at)) continue
    const name = repeats.at.split('/:').at(-1)
    const parameter = describeParameters(parameters).find(one => one.name === name)
    byBase.set(repeats.at, {
      tag,
      path: `${pathTemplate({ path: repeats.at })}/…`,
      summary: `The paths below \`${repeats.below}\`, ${repeats.how}.`,
      parameter: `\`${name}\`: ${parameter?.description ?? ''}`,
    })
  }
  return [...byBase.values()]
}
