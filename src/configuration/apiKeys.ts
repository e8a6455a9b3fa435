import { z } from 'zod'
import type { ApiKey } from '#config'
import { hasApiKeyForm, withoutApiKeys } from '#domain/secretPattern.ts'
import { abbreviate } from '#domain/text.ts'
import { parseOriginPattern } from './addresses.ts'
import { type ReadFile, readIfPresent, readUtf8 } from './environment.ts'
import { lineOfJsonValue, parseJsonFile, pathText, valueAt } from './json.ts'
import { givenName } from './settingTypes.ts'

export type ReadApiKeys =
  | { readonly kind: 'valid'; readonly keys: readonly ApiKey[] }
  /** One sentence per problem, beginning with its line where it has one. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

const MANY = 1_000_000_000

const number = (min: number, error: string) => z.int({ error }).min(min, { error }).max(MANY, { error }).exactOptional()

const EXPECTED_HASH = 'expected the SHA-256 of a key in 64 hex digits, as npm run keys writes it'
const EXPECTED_LIMITS = 'expected an object with requestsPerMinute, connections or both'
const EXPECTED_ORIGINS = 'expected a list of at least one origin such as https://app.example.com'

const origin = z.string({ error: EXPECTED_ORIGINS }).transform((text, context) => {
  const parsed = text === '*' ? ({ kind: 'valid', pattern: text } as const) : parseOriginPattern(text)
  if (parsed.kind === 'valid') return parsed.pattern
  context.issues.push({
    code: 'custom',
    input: text,
    message: `expected an origin such as https://app.example.com, but it ${parsed.reason}`,
  })
  return z.NEVER
})

const apiKey = z.strictObject(
  {
    name: givenName.refine(text => !hasApiKeyForm(text), { error: 'expected a name, not the key itself' }),
    sha256: z
      .string({ error: EXPECTED_HASH })
      .regex(/^[0-9a-f]{64}$/i, { error: EXPECTED_HASH })
      .toLowerCase(),
    limits: z
      .strictObject(
        {
          requestsPerMinute: number(0, `expected requests per minute, a whole number from 0 to ${MANY}, 0 for no limit`),
          connections: number(1, `expected open WebSockets and event streams, a whole number from 1 to ${MANY}`),
        },
        { error: issue => unknownOr(issue, EXPECTED_LIMITS) },
      )
      .exactOptional(),
    origins: z.array(origin, { error: EXPECTED_ORIGINS }).min(1, { error: EXPECTED_ORIGINS }).exactOptional(),
    operator: z.boolean({ error: 'expected true or false' }).exactOptional(),
  },
  { error: issue => unknownOr(issue, 'expected a key, an object with name and sha256') },
)

const apiKeysFile = z.strictObject(
  { keys: z.array(apiKey, { error: 'expected a list of keys' }) },
  { error: issue => unknownOr(issue, 'expected an object with keys') },
)

function unknownOr(issue: { readonly code: string; readonly keys?: unknown }, expectation: string): string {
  return issue.code === 'unrecognized_keys' ? `unknown field ${(issue.keys as readonly string[]).join(', ')}` : expectation
}

/** Parses the text of `API_KEYS_FILE`. */
export function parseApiKeys(text: string): ReadApiKeys {
  const file = parseJsonFile(text)
  if (file.kind === 'invalid') return file
  const { json, value: input } = file
  const parsed = apiKeysFile.safeParse(input)
  if (!parsed.success) return { kind: 'invalid', problems: parsed.error.issues.map(issue => describeIssue(issue, json, input)) }
  const { keys } = parsed.data
  const problems = keys.flatMap((key, index) =>
    (['name', 'sha256'] as const).flatMap(field => {
      const earlier = keys.findIndex(other => other[field] === key[field])
      if (earlier === index) return []
      const line = lineOfJsonValue(json, ['keys', index, field])
      return [`line ${line}: ${field} is that of the key in line ${lineOfJsonValue(json, ['keys', earlier, field])} already`]
    }),
  )
  return problems.length === 0 ? { kind: 'valid', keys } : { kind: 'invalid', problems }
}

/** Names the field, and its value unless it may be a key: someone may have written one in place of its hash. */
function describeIssue({ path, code, message }: z.core.$ZodIssue, json: string, input: unknown): string {
  const place = pathText(path)
  const where = `line ${lineOfJsonValue(json, path)}: ${place}${place === '' ? '' : ': '}`
  const value = valueAt(input, path)
  if (value === undefined) return `${where}missing, ${message}`
  const isShown = path.at(-1) !== 'sha256' && code !== 'unrecognized_keys' && typeof value !== 'object'
  return `${where}${message}${isShown ? `, got ${withoutApiKeys(abbreviate(value))}` : ''}`
}

/** Reads and parses a file of keys. */
export function readApiKeys(file: string, readFile: ReadFile = readUtf8): ReadApiKeys {
  const read = readIfPresent(file, readFile)
  if (read.kind === 'missing') return { kind: 'invalid', problems: [`${read.problem}; npm run keys -- make <name> makes it`] }
  if (read.kind === 'unreadable') return { kind: 'invalid', problems: [read.problem] }
  return parseApiKeys(read.text)
}
