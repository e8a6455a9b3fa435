import process from 'node:process'
import type { Logger } from 'pino'
import { repeat as repeatUnref } from '#async/pause.ts'
import type { ApiKey, LaunchpadsConfig } from '#config'
import { readApiKeys } from '#configuration/apiKeys.ts'
import { readLaunchpadsFile } from '#configuration/launchpads.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'

/** A file is compared by its content, since a volume may be mounted anew and a link may change. */
const CHECK_EVERY_MS = 5_000

interface FileWatchOptions<Content> {
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

export interface ApiKeysWatchOptions extends Pick<FileWatchOptions<unknown>, 'repeat'> {
  readonly file: string
  /** The file has other keys than before. */
  readonly onChanged: (keys: readonly ApiKey[]) => void
  readonly logger: Logger
}

/** Reads the keys every 5 s. A wrong file is logged once, and the earlier keys stay in force. Returns how to stop. */
export function watchApiKeys({ file, onChanged, logger, ...rest }: ApiKeysWatchOptions): () => void {
  return watchFile({
    ...rest,
    read: () => readApiKeys(file),
    onChanged: read => {
      if (read.kind === 'valid') {
        onChanged(read.keys)
        logger.info({ file, keys: read.keys.map(({ name }) => name) }, 'the API keys were read again')
      } else logger.warn({ file, problems: read.problems }, 'API_KEYS_FILE has changed and is wrong: the earlier API keys stay in force')
    },
  }).stop
}

export interface LaunchpadsWatchOptions extends Pick<FileWatchOptions<unknown>, 'repeat'> {
  readonly file: string
  /** The file has other content than before, and is right. */
  readonly onChanged: (launchpads: LaunchpadsConfig) => void
  readonly logger: Logger
}

/** Reads `launchpads.json` every 5 s and on SIGHUP. A wrong file is logged once, and changes nothing. Returns how to stop. */
export function watchLaunchpads({ file, onChanged, logger, ...rest }: LaunchpadsWatchOptions): () => void {
  return alsoOnHangup(
    watchFile({
      ...rest,
      read: () => readLaunchpadsFile(file, ADAPTER_KINDS),
      onChanged: read => {
        if (read.kind === 'valid') onChanged(read.value)
        else logger.warn({ file, problems: read.problems }, 'LAUNCHPADS_FILE has changed and is wrong: the launchpads stay as they are')
      },
    }),
  )
}
