import { readFileSync } from 'node:fs'
import { packagePath } from '#package'

/** Examples for the descriptions, which a test recorded from the running service. */
export interface Examples {
  /** By `operationId`. */
  readonly answers: Readonly<Record<string, { readonly request: string; readonly body: unknown } | undefined>>
  /** By type of message. */
  readonly messages: Readonly<Record<string, unknown>>
}

export function readExamples(): Examples {
  return JSON.parse(readFileSync(packagePath('src/gateway/descriptions/examples.json'), 'utf8')) as Examples
}
