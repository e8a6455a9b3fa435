import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { entityTag } from './answer.ts'
import { accepts, ENCODINGS, type Encoding } from './contentEncoding.ts'

interface Representation {
  readonly bytes: Buffer
  readonly tag: string
}

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }

export interface SiteFile {
  readonly contentType: string
  readonly immutable: boolean
  readonly plain: Representation
  readonly encoded: Readonly<Partial<Record<Encoding, Representation>>>
}

/** The files of the built console by their path from `/`. No other file of the disk is served. */
export type Site = ReadonlyMap<string, SiteFile>

const INDEX = 'index.html'
/** The folder of files whose names contain a hash. */
const HASHED = 'assets/'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

/** Loads the console from a folder; `null`: no console is built there. */
export async function loadSite(folder: string): Promise<Site | null> {
  const names = await namesIn(folder)
  if (!names.includes(INDEX)) return null
  const site = new Map<string, SiteFile>()
  for (const name of names) {
    const contentType = TYPES[path.extname(name)]
    if (contentType === undefined) continue
    const encoded: Partial<Record<Encoding, Representation>> = {}
    for (const encoding of ENCODINGS) {
      const compressed = `${name}${SUFFIXES[encoding]}`
      if (names.includes(compressed)) encoded[encoding] = await represent(path.join(folder, compressed))
    }
    const file = { contentType, immutable: name.startsWith(HASHED), plain: await represent(path.join(folder, name)), encoded }
    site.set(name === INDEX ? '/' : `/${name}`, file)
  }
  return site
}

/** The paths of all files below a folder, with `/` on every system. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter(entry => entry.isFile())
    return files.map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function represent(file: string): Promise<Representation> {
  const bytes = await readFile(file)
  return { bytes, tag: entityTag(bytes) }
}

/** The smallest form of a file that the client accepts. */
export function chooseEncoding(
  { plain, encoded }: SiteFile,
  acceptEncoding: string,
): Representation & { readonly encoding: Encoding | null } {
  for (const encoding of ENCODINGS) {
    const representation = encoded[encoding]
    if (representation !== undefined && accepts(acceptEncoding, encoding)) return { ...representation, encoding }
  }
  return { ...plain, encoding: null }
}
