import { type Logger, pino } from 'pino'

export interface LogLines {
  readonly logger: Logger
  /** Every line so far, parsed. */
  lines(): readonly Readonly<Record<string, unknown>>[]
  /** All lines as text. */
  text(): string
}

/** A logger whose lines a test can read. */
export function createLogLines(): LogLines {
  const written: string[] = []
  return {
    logger: pino({ level: 'debug', base: null }, { write: (line: string) => void written.push(line) }),
    lines: () => written.map(line => JSON.parse(line) as Record<string, unknown>),
    text: () => written.join(''),
  }
}
