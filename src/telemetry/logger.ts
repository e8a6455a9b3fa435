import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import process from 'node:process'
import { isatty } from 'node:tty'
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from '#config'
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

/** What waits for a reader that stands still. What comes beyond it is dropped. */
const LIMIT_BYTES = 1 << 20
const RETRY_MS = 50
/** For how long the end of the process waits until the last lines are taken. */
const LAST_LINES_MS = 1_000
const PAUSE_MS = 5

/** Where lines go that are not the product of a process. Writing neither waits nor throws, whatever is at the other end. */
interface LogOutput {
  write(line: string): void
  /** Also writes the lines that a thread sends. */
  takeFrom(thread: MessagePort): void
  /** Writes what the place takes now, and waits a little for the rest. The end of the process does so. */
  flush(): void
  /** Called with the number of dropped lines before the first line after them. */
  onResumed: ((dropped: number) => void) | null
}

let droppedLines = 0

/** Lines that this process has dropped since its start. */
export function droppedLogLines(): number {
  return droppedLines
}

/**
 * Lines are written at once, so that the last one is out when the process dies. While the reader of a pipe, terminal or socket stands
 * still, when it has gone, or when the disk is full, up to 1 MiB of them wait. Then all that come are dropped until those are written.
 */
export function openLogOutput(fd: number): LogOutput {
  const place = withoutWaiting(fd)
  const threads: MessagePort[] = []
  /** The first may be the rest of a line. */
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let dropped = 0
  let timer: NodeJS.Timeout | null = null

  /** Whether everything is written. Line by line: a pipe takes up to 4 KiB as a whole, so the lines of several processes stay whole. */
  const drain = (): boolean => {
    const rest = waiting.findIndex((line, index) => {
      const written = writeSome(place, line)
      waitingBytes -= written
      waiting[index] = line.subarray(written)
      return written < line.length
    })
    waiting = rest === -1 ? [] : waiting.slice(rest)
    return rest === -1
  }

  /** Whether nothing waits any more. */
  const retry = (): boolean => {
    if (!drain()) return false
    if (timer !== null) clearInterval(timer)
    timer = null
    const lost = dropped
    dropped = 0
    if (lost > 0) output.onResumed?.(lost)
    return true
  }

  const put = (line: string) => {
    const bytes = Buffer.from(line)
    if (dropped > 0 || (waitingBytes > 0 && waitingBytes + bytes.length > LIMIT_BYTES)) {
      dropped++
      droppedLines++
      return
    }
    waiting.push(bytes)
    waitingBytes += bytes.length
    if (timer === null && !drain()) timer = setInterval(retry, RETRY_MS).unref()
  }

  const putSent = () => {
    for (const thread of threads)
      for (let sent = receiveMessageOnPort(thread); sent !== undefined; sent = receiveMessageOnPort(thread)) put(String(sent.message))
  }

  const flush = () => {
    putSent()
    const until = performance.now() + LAST_LINES_MS
    while (!retry() && performance.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    waiting = []
    waitingBytes = 0
  }

  const output: LogOutput = {
    write: line => {
      putSent()
      put(line)
    },
    takeFrom: thread => {
      threads.push(thread)
      thread.on('message', (line: string) => put(line))
      thread.unref()
    },
    flush,
    onResumed: null,
  }
  process.on('exit', flush)
  return output
}

/** A descriptor of the same place on which writing does not wait. */
function withoutWaiting(fd: number): number {
  // A file opened again would have another position.
  if (fstatSync(fd).isFile()) return fd
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    // A socket, another user's pipe, no `/proc`. Making its stream tells the system not to wait, here and in whatever shares the
    // descriptor.
    void (fd === 2 ? process.stderr : process.stdout)
    return fd
  }
}

/** How many bytes the place takes now. After a failure as after none: a disk gets room, and a named pipe a reader. */
function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes)
  } catch {
    return 0
  }
}

let standardError: LogOutput | null = null

/** Standard error, for what is not the product of a command: its log, its progress, or why it ended. */
export function errorOutput(): LogOutput {
  return (standardError ??= openLogOutput(2))
}
