import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'

/** A hash of the names and contents of these files and of all files below these folders. Missing ones are skipped. */
export async function sourceStamp(root: string, sources: readonly string[]): Promise<string> {
  const digest = createHash('sha256')
  for (const source of sources) {
    for (const file of await filesAt(path.join(root, source))) {
      digest.update(`${path.relative(root, file)}\0`)
      digest.update(await readFile(file))
    }
  }
  return digest.digest('hex')
}

async function filesAt(place: string): Promise<readonly string[]> {
  const found = await stat(place).catch(() => null)
  if (found === null) return []
  if (!found.isDirectory()) return [place]
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
    .sort()
}
