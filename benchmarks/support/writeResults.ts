import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../results/', import.meta.url)

/**
 * Stores a run in `benchmarks/results`, which git ignores: as JSON, and as a picture if there is one.
 *
 * @param picture SVG
 * @returns the files
 */
export async function writeResults(results: unknown, picture: string | null, at: Date): Promise<readonly string[]> {
  await mkdir(FOLDER, { recursive: true })
  const name = at.toISOString().replace(/[:.]/g, '-')
  const files: (readonly [string, string])[] = [[`${name}.json`, `${JSON.stringify(results, null, 2)}\n`]]
  if (picture !== null) files.push([`${name}.svg`, picture])
  return Promise.all(
    files.map(async ([file, text]) => {
      const url = new URL(file, FOLDER)
      await writeFile(url, text)
      return fileURLToPath(url)
    }),
  )
}
