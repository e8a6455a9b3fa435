import type { z } from 'zod'
import { launchpadsJsonSchema } from '#configuration/launchpads.ts'
import { SETTINGS } from '#configuration/settings.ts'
import { DEV_SETTINGS } from '#devchain/dev/settings.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'

/* What editors and operators read of the configuration, from the schemas that check it. */

/** `.env.example`: every setting with its description and its default. */
export function envExample(): string {
  const entries = Object.entries<z.ZodType>({ ...SETTINGS, ...DEV_SETTINGS }).map(([name, schema]) => {
    const value = [schema.safeParse(undefined).data].flat().join(',')
    return `${commented(schema.description ?? '')}\n${name}=${value}\n`
  })
  const header = commented('Copy to .env and fill in. The environment wins over this file; a blank value is the default.')
  return [`${header}\n`, ...entries].join('\n')
}

/** A text as lines of a comment, of at most 140 columns. */
function commented(text: string): string {
  return text.replaceAll(/(.{1,138})(?: |$)/g, '# $1\n').trimEnd()
}

/** The schema that the `$schema` of a launchpads.json leads editors to. */
export function launchpadsSchema(): string {
  return `${JSON.stringify(launchpadsJsonSchema(ADAPTER_KINDS), null, 2)}\n`
}
