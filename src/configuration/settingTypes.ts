import { z } from 'zod'

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
