import { STATUS_CODES } from 'node:http'
import { PROBLEMS, type ProblemCode } from '#resources/problem.ts'
import type { JsonObject } from './jsonSchemas.ts'

/** The answers with problems, each described once. Described at each route, they would be two thirds of the document. */
export interface ProblemResponses {
  /** A reference to the answer of a status with one of these codes. `isLimited`: it says how many requests are left. */
  of(status: number, codes: readonly ProblemCode[], isLimited: boolean): JsonObject
  /** All answers that were referred to so far, and `NotModified`, by name. */
  components(): JsonObject
}

export const NOT_MODIFIED: JsonObject = { $ref: '#/components/responses/NotModified' }

export function createProblemResponses(problemSchema: JsonObject): ProblemResponses {
  const components = new Map<string, JsonObject>([
    ['NotModified', { description: 'Not modified: the answer still has the tag that `If-None-Match` names.' }],
  ])
  return {
    of(status, codes, isLimited) {
      const name = `${nameOf(status, codes)}${isLimited ? '' : 'Unlimited'}`
      if (!components.has(name)) components.set(name, response(status, codes, isLimited, problemSchema))
      return { $ref: `#/components/responses/${name}` }
    },
    components: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** A component's name: `InvalidParameterOrInvalidRequest`, or with the status of a code that has several, `Unauthorized401`. */
function nameOf(status: number, codes: readonly ProblemCode[]): string {
  const names = codes.map(code => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  return `${names.join('Or')}${codes.some(code => PROBLEMS[code].statuses.length > 1) ? status : ''}`
}

function response(status: number, codes: readonly ProblemCode[], isLimited: boolean, problemSchema: JsonObject): JsonObject {
  return {
    description: codes.map(code => `\`${code}\`: ${PROBLEMS[code].meaning}`).join(' '),
    headers: headersOf(['X-Request-Id', ...(status === 429 || status === 503 ? ['Retry-After'] : [])], isLimited),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [problemSchema, { type: 'object', properties: { status: { const: status }, code: { enum: codes } } }],
        },
        example: {
          type: 'about:blank',
          title: STATUS_CODES[status],
          status,
          detail: PROBLEMS[codes[0] ?? 'internal'].meaning,
          code: codes[0],
          requestId: '6f1c1b0e-6a6c-4f0e-9a53-6b1d4b1c2a10',
        },
      },
    },
  }
}

/** References to the headers of an answer. @param isLimited adds those of the rate limit */
export function headersOf(names: readonly string[], isLimited: boolean): JsonObject {
  const rates = isLimited ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []
  return Object.fromEntries([...names, ...rates].map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
