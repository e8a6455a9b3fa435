import { z } from 'zod'
import { abbreviate } from '#domain/text.ts'

/*
 * The types of settings: zod schemas that turn the text of a variable into a value. The error for a value that is no text completes
 * "NAME: expected"; a refinement may add the reason of a refusal with `refuse`.
 */

/** A reason completes "NAME: expected …, but". Without one the message repeats the text, unless the setting is secret. */
export function refuse(context: z.core.ParsePayload, reason: string): void {
  context.issues.push({ code: 'custom', input: context.value, message: reason, params: { reason } })
}

/** An integer in decimal digits, both bounds included. */
export function wholeNumber(min: number, max: number) {
  return z
    .string({ error: `a whole number from ${min} to ${max}` })
    .regex(/^\d{1,16}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
}

/** A number of days as `90d`, both bounds included. */
export function wholeDays(min: number, max: number) {
  return z
    .string({ error: `a number of days from ${min}d to ${max}d` })
    .regex(/^\d{1,16}d$/)
    .transform(text => Number(text.slice(0, -1)))
    .pipe(z.int().min(min).max(max))
}

/** One of some words, in any letter case. */
export function word<const Word extends string>(words: readonly Word[]) {
  return z
    .string({ error: `one of ${words.join(', ')}` })
    .toLowerCase()
    .pipe(z.enum(words))
}

/** A comma list; `none` is the empty one. */
export function wordList<const Word extends string>(words: readonly Word[]) {
  const expected = `a comma list of ${words.join(', ')}, or none`
  return commaList(expected).pipe(
    z
      .array(z.string().toLowerCase())
      .transform(entries => (entries.length === 1 && entries[0] === 'none' ? [] : entries))
      .pipe(z.array(z.enum(words)))
      .readonly(),
  )
}

export const flag = z.stringbool({ truthy: ['true'], falsy: ['false'], error: 'true or false' })

export const anyText = z.string({ error: 'text' })

/** A name that SQL takes without quotes, short enough for names that are derived from it. */
export const schemaName = z
  .string({ error: 'a name of at most 40 lower-case letters, digits and _, that begins with a letter and not with pg_' })
  .regex(/^(?!pg_|information_schema$)[a-z][a-z0-9_]{0,39}$/)

const EXPECTED_NAME = 'expected a name of 1 to 64 letters, digits, dots, dashes or underscores'

/** The name of an entry of a file: a launchpad, an API key. */
export const givenName = z.string({ error: EXPECTED_NAME }).regex(/^[A-Za-z0-9._-]{1,64}$/, { error: EXPECTED_NAME })

/** A credential that is sent in a header. */
export const secretWord = z.string({ error: 'one word of visible ASCII characters' }).regex(/^[!-~]+$/)

/** Leaves out blank entries. */
export function commaList(expected: string) {
  return z.string({ error: expected }).transform((text): readonly string[] =>
    text
      .split(',')
      .map(entry => entry.trim())
      .filter(entry => entry !== ''),
  )
}

/** Settings by the names of their variables. A default stands for a variable that is unset or blank. */
export type SettingTable = Readonly<Record<string, z.ZodType<unknown, string | null | undefined>>>

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name & string>

/** The values of a table of settings, by the names of the settings in camel case. */
export type CamelCased<T extends SettingTable> = { readonly [Name in keyof T as CamelCase<Name>]: z.output<T[Name]> }

/**
 * Reads all settings of a table, so that the user learns everything that is wrong at once.
 *
 * @returns values that are meaningful if there are no problems, and a sentence per wrong setting, which repeats no secret value
 */
export function parseSettings<T extends SettingTable>(
  table: T,
  environment: Environment,
): { readonly values: CamelCased<T>; readonly problems: readonly string[] } {
  const problems: string[] = []
  const read = ([name, schema]: [string, SettingTable[string]]) => {
    const text = environment[name]?.trim() ?? ''
    const parsed = schema.safeParse(text === '' ? undefined : text)
    if (parsed.success) return [camelCase(name), parsed.data]
    problems.push(`${name}: ${text === '' ? 'missing, ' : ''}expected ${expectationOf(schema)}${objectionTo(text, schema, parsed.error)}`)
    return [camelCase(name), schema.safeParse(undefined).data]
  }
  return { values: Object.fromEntries(Object.entries(table).map(read)) as CamelCased<T>, problems }
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Quotation marks at either end, typographic ones included. */
const QUOTES = /^["'\u2018-\u201f\u00ab]|["'\u2018-\u201f\u00bb]$/

/** No setting accepts `false`, so the error for `false` says what the setting expects. */
function expectationOf(schema: SettingTable[string]): string {
  return schema.safeParse(false).error?.issues[0]?.message ?? ''
}

function objectionTo(text: string, schema: SettingTable[string], { issues }: z.ZodError): string {
  if (QUOTES.test(text))
    return ', but a quote belongs to its value: `docker run --env-file` and a quote without its other end leave it there'
  const reason = issues.flatMap(issue => (issue.code === 'custom' ? [issue.params?.['reason']] : []))[0]
  if (reason !== undefined) return `, but ${reason}`
  return text === '' || schema.meta()?.['secret'] === true ? '' : `, got ${abbreviate(text)}`
}

export type Environment = Readonly<Record<string, string | undefined>>
