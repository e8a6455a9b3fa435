import type { z } from 'zod'
import { abbreviate } from '#domain/abbreviate.ts'
import type { Environment } from './environment.ts'

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
