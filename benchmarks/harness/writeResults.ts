import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../results/', import.meta.url)

/** Stores a run as JSON in `benchmarks/results`, which git ignores. @returns the file */
export async function writeResults(results: unknown, at: Date): Promise<string> {
  await mkdir(FOLDER, { recursive: true })
  const url = new URL(`${at.toISOString().replace(/[:.]/g, '-')}.json`, FOLDER)
  await writeFile(url, `${JSON.stringify(results, null, 2)}\n`)
  return fileURLToPath(url)
}
