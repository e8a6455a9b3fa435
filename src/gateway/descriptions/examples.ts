import { readFileSync } from 'node:fs'
import { packagePath } from '#package'

/** What a test took from the running service, for the descriptions. */
export interface Examples {
  /** By `operationId`. */
  readonly answers: Readonly<Record<string, { readonly request: string; readonly body: unknown } | undefined>>
  /** By type. */
  readonly messages: Readonly<Record<string, unknown>>
}

export function readExamples(): Examples {
  return JSON.parse(readFileSync(packagePath('src/gateway/descriptions/examples.json'), 'utf8')) as Examples
}
