import { isatty } from 'node:tty'
import { type DestinationStream, destination as fileDescriptor, type Logger, pino, stdTimeFunctions } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from '#config'
import { inTurns, type Turns } from './inTurns.ts'
import type { Redactor } from './redactor.ts'

export interface LoggerOptions extends Pick<Config['log'], 'level' | 'format'> {
  readonly redactor: Redactor
  /** Where finished lines go. Default: standard output, each written at once, so that none is lost when the process dies. */
  readonly destination?: DestinationStream
  /** Shared by the threads of this process that log to standard output. Default: there is one. */
  readonly turns?: Turns
}

/**
 * The process's logger: one JSON object per line with `level` as a word and `time` in ISO 8601, or lines for people. Whatever is logged and however deep, in an
 * error's message, stack, cause or details, in a child's bindings, secrets come out as `[redacted]`, since whole lines are looked at.
 */
export function createLogger({ level, format, redactor, destination, turns }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      hooks: { streamWrite: line => redactor.line(line) },
    },
    streamFor(format, destination, turns),
  )
}

function streamFor(
  format: Config['log']['format'],
  destination: DestinationStream | undefined,
  turns: Turns | undefined,
): DestinationStream {
  const place = destination ?? fileDescriptor({ fd: 1, sync: true })
  const output = turns === undefined ? place : inTurns(place, turns)
  switch (format) {
    case 'json':
      return output
    case 'pretty': {
      // Not `process.stdout.isTTY`, which only the main thread has.
      const colorize = destination === undefined && isatty(1)
      const prettify = pretty.prettyFactory({ colorize, ignore: 'pid', translateTime: 'SYS:HH:MM:ss.l' })
      return { write: line => output.write(prettify(line)) }
    }
  }
}
