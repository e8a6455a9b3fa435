import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { precompress } from './precompress.ts'
import { sourceStamp } from './sourceStamp.ts'

/*
 * Builds the console into dist/console, with gzip and brotli beside each file. With --if-stale only when something that it is made from has
 * changed since.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUTPUT = path.join(ROOT, 'dist/console')
/** What the built folder was made from. Not served: the gateway knows no files of this kind. */
const STAMP = 'source.stamp'
const SOURCES = ['build', 'src/console', 'src/client', 'src/protocol', 'src/async', 'src/domain', 'package-lock.json']

const stamp = await sourceStamp(ROOT, SOURCES)
const isFresh = process.argv.includes('--if-stale') && (await builtFrom()) === stamp
if (!isFresh) await buildConsole()

async function builtFrom(): Promise<string | null> {
  try {
    return await readFile(path.join(OUTPUT, STAMP), 'utf8')
  } catch {
    return null
  }
}

/** Built beside and put in place as a whole: a service that starts meanwhile must not find half of it. */
async function buildConsole(): Promise<void> {
  // Packages choose between their builds by it; whoever starts this, such as a test, may say otherwise.
  process.env['NODE_ENV'] = 'production'
  // Loading the bundler takes longer than finding out that there is nothing to do.
  const [{ build }, { default: preact }] = await Promise.all([import('vite'), import('@preact/preset-vite')])
  const folder = path.join(ROOT, `dist/.console-${process.pid}`)
  const outgoing = `${folder}-outgoing`
  try {
    await build({
      configFile: false,
      root: path.join(ROOT, 'src/console'),
      // Relative addresses: the console does not know under which path it is served.
      base: './',
      logLevel: 'error',
      plugins: [preact({ devToolsEnabled: false })],
      build: {
        outDir: folder,
        emptyOutDir: true,
        target: 'es2022',
        // Inlined assets and the polyfill's inline script would have to be allowed by the page's policy.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
      },
    })
    await precompress(folder)
    await writeFile(path.join(folder, STAMP), stamp)
    await mkdir(path.dirname(OUTPUT), { recursive: true })
    await rename(OUTPUT, outgoing).catch(() => undefined)
    await rename(folder, OUTPUT)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(outgoing, { recursive: true, force: true })
  }
}
