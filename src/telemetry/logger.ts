import { isatty } from 'node:tty'
import { type DestinationStream, destination as fileDescriptor, type Logger, pino, stdTimeFunctions } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from '#config'
import type { Redactor } from './redactor.ts'
import { type WriteLock, withWriteLock } from './writeLock.ts'

export interface LoggerOptions {
  readonly level: Config['logLevel']
  readonly format: Config['logFormat']
  readonly redactor: Redactor
  /** Where lines are written. Default: standard output, synchronously, so that no line is lost when the process dies. */
  readonly destination?: DestinationStream
  /** Shared by all threads that log to standard output. Default: there is one thread. */
  readonly writeLock?: WriteLock
}

/**
 * The logger of a thread: one JSON object per line with `level` as a word and `time` in ISO 8601, or lines for people. Secrets become
 * `[redacted]` wherever they are in a line: in an error's message, stack, cause or details, or in a child's bindings.
 */
export function createLogger({ level, format, redactor, destination, writeLock }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      hooks: { streamWrite: line => redactor.line(line) },
    },
    streamFor(format, destination, writeLock),
  )
}

function streamFor(
  format: Config['logFormat'],
  destination: DestinationStream | undefined,
  writeLock: WriteLock | undefined,
): DestinationStream {
  const place = destination ?? fileDescriptor({ fd: 1, sync: true })
  const output = writeLock === undefined ? place : withWriteLock(place, writeLock)
  switch (format) {
    case 'json':
      return output
    case 'pretty': {
      // `process.stdout.isTTY` exists in the main thread only.
      const colorize = destination === undefined && isatty(1)
      const prettify = pretty.prettyFactory({ colorize, ignore: 'pid', translateTime: 'SYS:HH:MM:ss.l' })
      return { write: line => output.write(prettify(line)) }
    }
  }
}
