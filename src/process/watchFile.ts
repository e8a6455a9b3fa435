import process from 'node:process'
import { repeat as repeatUnref } from '#async/repeat.ts'

/** A file is compared by its content, since a volume may be mounted anew and a link may change. */
const CHECK_EVERY_MS = 5_000

export interface FileWatchOptions<Content> {
  /** Reads the file. */
  readonly read: () => Content
  /** The content is other than before. */
  readonly onChanged: (content: Content) => void
  readonly repeat?: typeof repeatUnref
}

export interface FileWatch {
  /** Looks now. */
  check(): void
  stop(): void
}

/** Has a watch look on SIGHUP, too. @returns how to stop it */
export function alsoOnHangup({ check, stop }: FileWatch): () => void {
  process.on('SIGHUP', check)
  return () => {
    process.off('SIGHUP', check)
    stop()
  }
}

/** Reads a file every 5 s. */
export function watchFile<Content>({ read, onChanged, repeat = repeatUnref }: FileWatchOptions<Content>): FileWatch {
  let seen = JSON.stringify(read())
  const check = () => {
    const content = read()
    const text = JSON.stringify(content)
    if (text === seen) return
    seen = text
    onChanged(content)
  }
  return { check, stop: repeat(CHECK_EVERY_MS, check) }
}
