import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The name of the superuser and of the database. */
export const EMBEDDED_NAME = 'tokenwire'

/** The places of the embedded server's files. */
export interface Layout {
  readonly dataDir: string
  /** Holds the data folder and the password; owned by the server's user. */
  readonly folder: string
  readonly dataFolder: string
  readonly passwordFile: string
  readonly logFile: string
}

/** The server's files under `DATA_DIR`. Nothing is created. */
export function layoutOf(dataDir: string): Layout {
  const folder = join(dataDir, 'postgres')
  return {
    dataDir,
    folder,
    dataFolder: join(folder, 'data'),
    passwordFile: join(folder, 'password'),
    logFile: join(dataDir, 'postgres.log'),
  }
}

/** The PostgreSQL major version of the data folder; `null` when there is none. */
export async function dataVersion(layout: Layout): Promise<string | null> {
  return readFile(join(layout.dataFolder, 'PG_VERSION'), 'utf8').then(
    text => text.trim(),
    () => null,
  )
}
