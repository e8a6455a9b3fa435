import type { Logger } from 'pino'
import type { ApiKey } from '#config'
import { readApiKeys } from '#configuration/apiKeys.ts'
import { type FileWatchOptions, watchFile } from './watchFile.ts'

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
