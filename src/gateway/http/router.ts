import { nearestName } from '#domain/nearestName.ts'
import { decodePercent } from './parameters.ts'
import { invalidParameter, type Problem, problem, quote } from './problem.ts'
import { pathTemplate, type Route } from './route.ts'

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly pathParameters: ReadonlyMap<string, string> }
  | { readonly kind: 'preflight'; readonly allowed: string }
  | Problem

const METHODS: Readonly<Record<NonNullable<Route['method']>, readonly string[]>> = {
  GET: ['GET', 'HEAD', 'OPTIONS'],
  POST: ['POST', 'OPTIONS'],
}

/** Compiles the table of routes. No segment of a path may be empty, not even a parameter. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match {
  const compiled = routes.map(route => ({ route, segments: route.path.split('/') }))
  const described = routes.filter(({ description }) => description !== null).map(pathTemplate)
  return (method, path) => {
    const given = path.split('/')
    const found = compiled.find(({ segments }) => fits(segments, given))
    if (found === undefined) return problem(404, 'not_found', `there is nothing at ${quote(path)}; ${hintFor(path, described)}`)
    const methods = METHODS[found.route.method ?? 'GET']
    const allowed = methods.join(', ')
    if (method === 'OPTIONS') return { kind: 'preflight', allowed }
    if (!methods.includes(method)) {
      return problem(405, 'method_not_allowed', `the method must be one of ${allowed}, got ${quote(method)}`, [['Allow', allowed]])
    }
    const pathParameters = parametersOf(found.segments, given)
    if (pathParameters === undefined) return invalidParameter(`the path must be percent-encoded UTF-8, got ${quote(path)}`)
    return { kind: 'route', route: found.route, pathParameters }
  }
}

/** Names the path that was probably meant instead of one with a superfluous slash or a wrong letter. */
function hintFor(path: string, known: readonly string[]): string {
  const nearest = nearestName(path.replace(/\b0x[\da-f]*/i, '{address}'), known, MAX_CHANGES)
  return nearest === null ? '/docs has all paths' : `did you mean ${nearest}?`
}

/** The most letters in which a path differs from a suggested one. With more, unrelated paths would be suggested. */
const MAX_CHANGES = 2

function fits(segments: readonly string[], given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => (isParameter(segment) ? given[index] !== '' : segment === given[index]))
  )
}

function parametersOf(segments: readonly string[], given: readonly string[]): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>()
  for (const [index, segment] of segments.entries()) {
    if (!isParameter(segment)) continue
    const text = decodePercent(given[index] ?? '')
    if (text === undefined) return undefined
    parameters.set(segment.slice(1), text)
  }
  return parameters
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':')
}
