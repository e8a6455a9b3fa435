import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from './root.ts'
import { sourceStamp } from './sourceStamp.ts'

/*
 * `npm run generate` writes what follows from the sources. `npm ci` does so, too, and what is built or tested from it does so when a source
 * has changed. Nothing of it is in git but `.env.example`, which people read before they install anything.
 */

const CLIENT = 'src/client/generated'
const EXAMPLES = 'src/gateway/descriptions/examples.json'
const SCHEMA = 'src/configuration/launchpads.schema.json'
const OPEN_API = 'docs/api/openapi.json'
const ASYNC_API = 'docs/api/asyncapi.json'
const LLMS_TEXT = 'docs/api/llms.txt'
const ENV_EXAMPLE = '.env.example'

/** What is written is looked at, too, so that a missing or changed file is written again. */
const WRITTEN = [CLIENT, EXAMPLES, SCHEMA, OPEN_API, ASYNC_API, LLMS_TEXT]
const SOURCES = ['actors', 'build', 'test/gateway', 'test/support', 'package.json', 'package-lock.json']
/** They are sources of nothing that is written. */
const OTHER_SOURCES = new Set(['client', 'console'])
const STAMP = path.join(ROOT, '.cache/generated.stamp')

/** Writes what is not in git, unless it is what the sources give. */
export async function generateIfStale(): Promise<void> {
  const kept = await readFile(STAMP, 'utf8').catch(() => null)
  if (kept === (await stamp())) return
  await writeUncommitted()
  await mkdir(path.dirname(STAMP), { recursive: true })
  await writeFile(STAMP, await stamp())
}

async function stamp(): Promise<string> {
  const folders = (await readdir(path.join(ROOT, 'src'))).filter(name => !OTHER_SOURCES.has(name)).toSorted()
  return sourceStamp(ROOT, [...SOURCES, ...folders.map(name => `src/${name}`), ...WRITTEN])
}

async function writeUncommitted(): Promise<void> {
  // Loaded late, because loading the service takes longer than the look at its sources.
  const [{ clientSources }, { launchpadsSchema }, { takeDescriptions }] = await Promise.all([
    import('./clientSources.ts'),
    import('./configurationFiles.ts'),
    import('#test/gateway/descriptions/takeDescriptions.ts'),
  ])
  for (const [name, text] of Object.entries(clientSources())) await write(`${CLIENT}/${name}`, text)
  await write(SCHEMA, launchpadsSchema())
  const { openApi, asyncApi, llms } = await takeDescriptions(text => write(EXAMPLES, text))
  await write(OPEN_API, openApi)
  await write(ASYNC_API, asyncApi)
  await write(LLMS_TEXT, llms)
}

/** @returns whether the file has changed. Who reads it meanwhile finds all of it, before or after. */
async function write(file: string, text: string): Promise<boolean> {
  const target = path.join(ROOT, file)
  if ((await readFile(target, 'utf8').catch(() => null)) === text) return false
  await mkdir(path.dirname(target), { recursive: true })
  await writeFile(`${target}.${process.pid}`, text)
  await rename(`${target}.${process.pid}`, target)
  return true
}

if (process.argv[1] === import.meta.filename) {
  await generateIfStale()
  const { envExample } = await import('./configurationFiles.ts')
  if (await write(ENV_EXAMPLE, envExample())) process.stdout.write(`${ENV_EXAMPLE} has changed: commit it\n`)
}
