import { readFileSync } from 'node:fs'

/** What a test took from the running service, for the descriptions. */
export interface Examples {
  /** By `operationId`. */
  readonly answers: Readonly<Record<string, { readonly request: string; readonly body: unknown } | undefined>>
  /** By type. */
  readonly messages: Readonly<Record<string, unknown>>
}

export function readExamples(): Examples {
  return JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Examples
}
