import { readFileSync } from 'node:fs'
import { packagePath } from '#package'

/** Examples for the descriptions, which a test recorded from the running service. */
export interface Examples {
  /** Answers of the API, by `operationId`. */
  readonly answers: Readonly<Record<string, { readonly request: string; readonly body: unknown } | undefined>>
  /** Messages of the WebSocket, by type. */
  readonly messages: Readonly<Record<string, unknown>>
}

export function readExamples(): Examples {
  return JSON.parse(readFileSync(packagePath('src/gateway/descriptions/examples.json'), 'utf8')) as Examples
}
