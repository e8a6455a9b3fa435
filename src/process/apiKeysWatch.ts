import type { Logger } from 'pino'
import { repeat as repeatUnref } from '#async/repeat.ts'
import type { ApiKey } from '#config'
import { type ReadApiKeys, readApiKeys } from '#configuration/apiKeys.ts'

/** The file is compared by its contents, since a volume may be mounted anew and a link may change. */
const CHECK_EVERY_MS = 5_000

export interface ApiKeysWatchOptions {
  readonly file: string
  /** The file has other keys than before. */
  readonly onChanged: (keys: readonly ApiKey[]) => void
  readonly logger: Logger
  readonly repeat?: typeof repeatUnref
}

/** Reads the keys every 5 s. A wrong file is logged once, and the earlier keys stay in force. Returns how to stop. */
export function watchApiKeys({ file, onChanged, logger, repeat = repeatUnref }: ApiKeysWatchOptions): () => void {
  const textOf = (read: ReadApiKeys) => JSON.stringify(read)
  let seen = textOf(readApiKeys(file))
  return repeat(CHECK_EVERY_MS, () => {
    const read = readApiKeys(file)
    const text = textOf(read)
    if (text === seen) return
    seen = text
    if (read.kind === 'valid') {
      onChanged(read.keys)
      logger.info({ file, keys: read.keys.map(({ name }) => name) }, 'the API keys were read again')
    } else logger.warn({ file, problems: read.problems }, 'API_KEYS_FILE has changed and is wrong: the earlier API keys stay in force')
  })
}
