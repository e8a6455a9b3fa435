import process from 'node:process'
import { isatty } from 'node:tty'
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from '#config'
import type { LogOutput } from './logOutput.ts'
import type { Redactor } from './redactor.ts'

export interface LoggerOptions {
  readonly level: Config['logLevel']
  readonly format: Config['logFormat']
  readonly redactor: Redactor
  readonly output: Pick<LogOutput, 'write'> & Partial<Pick<LogOutput, 'onResumed'>>
}

/**
 * The logger of a thread: one JSON object per line with `level` as a word and `time` in ISO 8601, or lines for people. Secrets become
 * `[redacted]` wherever they are in a line: in an error's message, stack, cause or details, or in a child's bindings.
 */
export function createLogger({ level, format, redactor, output }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      hooks: { streamWrite: line => redactor.line(line) },
    },
    streamFor(format, output),
  )
  output.onResumed = lines => logger.warn({ lines }, 'lines of the log were dropped here: nobody read them, or the disk was full')
  return logger
}

/** Has the warnings of Node in this thread in the log, not on standard error, whose reader may stand still. */
export function logWarnings(logger: Logger): void {
  process.removeAllListeners('warning')
  process.on('warning', err => logger.warn({ err }, 'a warning of Node'))
}

function streamFor(format: Config['logFormat'], output: LoggerOptions['output']): DestinationStream {
  switch (format) {
    case 'json':
      return output
    case 'pretty': {
      // `process.stdout.isTTY` exists in the main thread only.
      const prettify = pretty.prettyFactory({ colorize: isatty(1), ignore: 'pid', translateTime: 'SYS:HH:MM:ss.l' })
      return { write: line => output.write(prettify(line)) }
    }
  }
}
