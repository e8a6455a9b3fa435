import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'

/** Why a folder can't be written, or be made where it is missing; `null`: it can. */
export async function requireFolder(folder: string): Promise<string | null> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error)
  if (!(found instanceof Error)) {
    if (!found.isDirectory()) return `${folder} is no folder`
    return access(folder, constants.W_OK | constants.X_OK).then(
      () => null,
      () => `${folder} can't be written by this user`,
    )
  }
  if (found.code !== 'ENOENT') return `${folder} can't be read (${found.code})`
  const parent = path.dirname(folder)
  return parent === folder ? `${folder} does not exist` : requireFolder(parent)
}
