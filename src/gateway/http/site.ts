import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { NO_PARAMETERS } from '#resources/resource.ts'
import { type Answer, accepts, ENCODINGS, type Encoding, entityTag, type HeaderField, jsonAnswer } from './answer.ts'
import { PAGE_POLICY } from './exchange.ts'
import { problem } from './problem.ts'
import { defineRoute, launchingEntries, type Route } from './route.ts'
import type { Representation, Site, SiteFile, Sources } from './sources.ts'

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }

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
function chooseEncoding({ plain, encoded }: SiteFile, acceptEncoding: string): Representation & { readonly encoding: Encoding | null } {
  for (const encoding of ENCODINGS) {
    const representation = encoded[encoding]
    if (representation !== undefined && accepts(acceptEncoding, encoding)) return { ...representation, encoding }
  }
  return { ...plain, encoding: null }
}

/** The label of all files in metrics, since their names change with every build. */
const LABEL = 'console'

export function consoleRoutes({ site, config }: Pick<Sources, 'site' | 'config'>): readonly Route[] {
  if (site === null) return [missingRoute()]
  return [...Array.from(site, ([path, file]) => fileRoute(path, file)), settingsRoute(config)]
}

function fileRoute(path: string, file: SiteFile): Route {
  const headers: HeaderField[] = [['Content-Type', file.contentType]]
  if (path === '/') headers.push(PAGE_POLICY)
  return {
    path,
    label: LABEL,
    parameters: NO_PARAMETERS,
    access: 'public',
    limited: false,
    cacheControl: file.immutable ? 'forever' : 'revalidate',
    description: null,
    async handle(_, { acceptEncoding }): Promise<Answer> {
      const { bytes, tag, encoding } = chooseEncoding(file, acceptEncoding)
      const own: readonly HeaderField[] = encoding === null ? headers : [...headers, ['Content-Encoding', encoding]]
      return { kind: 'answer', status: '200 OK', headers: own, body: bytes, tag }
    },
  }
}

/** The route of the page's settings. It is beside the page, so that its relative URL works below a path prefix. */
function settingsRoute(config: Pick<Sources['config'], 'explorerUrl' | 'launchpads' | 'integrations'>): Route {
  return defineRoute({ path: '/console.json', cacheControl: 'revalidate', limited: false, description: null }, async () =>
    jsonAnswer({
      explorerUrl: config.explorerUrl,
      launchpads: launchingEntries(config.launchpads).map(({ name }) => name),
      mcp: config.integrations.includes('mcp'),
    }),
  )
}

function missingRoute(): Route {
  return defineRoute({ path: '/', cacheControl: 'never', limited: false, description: null }, async () =>
    problem(404, 'not_found', 'the console is not built here: npm run build makes it, for the next start'),
  )
}
