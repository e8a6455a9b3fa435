import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generateIfStale } from './generate.ts'
import { ROOT } from './root.ts'
import { sourceStamp } from './sourceStamp.ts'

/** Holds a hash of the sources. The gateway does not serve files of this type. */
const STAMP = 'source.stamp'

export interface FolderBuild {
  /** Below `dist`. */
  readonly name: string
  /** Files and folders that the result depends on. */
  readonly sources: readonly string[]
  /** Writes the files into an empty folder, which then takes the place of the one before. */
  build(folder: string): Promise<void>
}

/**
 * Builds a folder of `dist`, with `--if-stale` only when a source has changed. It is built beside the one before and renamed at the end: a
 * service that starts meanwhile must not find an incomplete one.
 */
export async function buildFolder({ name, sources, build }: FolderBuild): Promise<void> {
  await generateIfStale()
  const output = path.join(ROOT, 'dist', name)
  const stamp = await sourceStamp(ROOT, sources)
  if (process.argv.includes('--if-stale') && (await builtFrom(output)) === stamp) return
  const folder = path.join(ROOT, `dist/.${name}-${process.pid}`)
  const outgoing = `${folder}-outgoing`
  try {
    await mkdir(folder, { recursive: true })
    await build(folder)
    await writeFile(path.join(folder, STAMP), stamp)
    await rename(output, outgoing).catch(() => undefined)
    await rename(folder, output)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(outgoing, { recursive: true, force: true })
  }
}

async function builtFrom(output: string): Promise<string | null> {
  try {
    return await readFile(path.join(output, STAMP), 'utf8')
  } catch {
    return null
  }
}
