import type { Logger } from 'pino'
import type { LaunchpadsConfig } from '#config'
import { readLaunchpadsFile } from '#configuration/launchpadsFile.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { alsoOnHangup, type FileWatchOptions, watchFile } from './watchFile.ts'

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
