import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../results/', import.meta.url)

/**
 * Keeps a run as JSON in `benchmarks/results`, which git ignores.
 *
 * @returns the file
 */
export async function writeResults(results: unknown, at: Date): Promise<string> {
  await mkdir(FOLDER, { recursive: true })
  const file = new URL(`${at.toISOString().replace(/[:.]/g, '-')}.json`, FOLDER)
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
  return fileURLToPath(file)
}
